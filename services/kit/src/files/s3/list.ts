import type { FileInfo } from '../files.ts'
import type { S3Client } from './client.ts'
import { elements, textOf } from './xml.ts'

const pageSize = '1000'

/** All objects whose name starts with a prefix, page by page, in order of name. */
export async function* listObjects(client: S3Client, prefix: string): AsyncGenerator<FileInfo> {
  let token: string | undefined
  do {
    const query = { 'list-type': '2', prefix, 'max-keys': pageSize, ...(token ? { 'continuation-token': token } : {}) }
    const page = await client.sendForText({ method: 'GET', query })
    for (const row of elements(page, 'Contents')) {
      const modifiedAt = new Date(textOf(row, 'LastModified') ?? 0)
      yield { key: textOf(row, 'Key') ?? '', size: Number(textOf(row, 'Size')), modifiedAt }
    }
    token = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextContinuationToken') : undefined
  } while (token)
}

export type OpenUpload = { name: string; uploadId: string; beganAt: Date }

/** Unfinished multipart uploads: the first thousand. */
export const listUploads = async (client: S3Client, prefix: string): Promise<OpenUpload[]> => {
  const query = { uploads: '', prefix, 'max-uploads': pageSize }
  const page = await client.sendForText({ method: 'GET', query })
  return elements(page, 'Upload').map((row) => ({
    name: textOf(row, 'Key') ?? '',
    uploadId: textOf(row, 'UploadId') ?? '',
    beganAt: new Date(textOf(row, 'Initiated') ?? Number.NaN),
  }))
}
