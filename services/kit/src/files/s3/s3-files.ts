import { type ByteRange, type FileInfo, type Files, keyPattern } from '../files.ts'
import { checkKey } from '../key.ts'
import type { S3Location } from '../location.ts'
import type { OpenedFiles, OpenFilesOptions } from '../open-files.ts'
import { createS3Client, type S3Client } from './client.ts'
import { download } from './download.ts'
import { discard } from './exchange.ts'
import { listObjects, listUploads } from './list.ts'
import { isMissing, S3Error, toStoreError } from './s3-error.ts'
import { abortUpload, upload } from './upload.ts'

/** A multipart upload this old, in milliseconds, has lost its writer. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000

/** The folder of a prefix, with a trailing slash, or empty. */
const folderOf = (prefix: string): string => {
  const inner = prefix.replace(/^\/+|\/+$/g, '')
  if (inner !== '' && !keyPattern.test(inner)) throw new TypeError(`"${prefix}" cannot be the prefix of files.`)
  return inner === '' ? '' : `${inner}/`
}

/** Aborts multipart uploads that crashed writes left, at most one page; the next start continues. */
const sweep = async (client: S3Client, folder: string, stale: number): Promise<void> => {
  for (const { name, uploadId, beganAt } of await listUploads(client, folder)) {
    if (beganAt.getTime() < stale) await abortUpload(client, name, uploadId)
  }
}

/** Converts error answers of the store. Connection errors were already converted by the retries; other errors come from the content. */
const convertError = (error: unknown): unknown => (error instanceof S3Error ? toStoreError(error) : error)

const withErrors = async <Value>(task: Promise<Value>): Promise<Value> => {
  try {
    return await task
  } catch (error) {
    throw convertError(error)
  }
}

async function* withErrorsOfAll<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    throw convertError(error)
  }
}

const createFiles = (client: S3Client, folder: string, checksums: boolean): Files => {
  const nameOf = (key: string) => folder + checkKey(key)

  const head = async (key: string): Promise<FileInfo> => {
    const answer = await client.send({ method: 'HEAD', name: nameOf(key) })
    discard(answer)
    const modifiedAt = new Date(answer.header('last-modified') ?? 0)
    return { key, size: Number(answer.header('content-length')), modifiedAt }
  }

  /** The answer to HEAD has no body, so only a GET shows whether the key, the bucket or the user is missing. */
  const stat: Files['stat'] = async (key) => {
    try {
      return await head(key)
    } catch (error) {
      if (!(error instanceof S3Error)) throw error
    }
    try {
      discard(await client.send({ method: 'GET', name: nameOf(key), headers: { range: 'bytes=0-0' } }))
      return await head(key)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async function* read(key: string, range: ByteRange = { start: 0 }, signal?: AbortSignal) {
    const name = nameOf(key)
    // HTTP cannot express an empty range, but a missing file must still be reported.
    const isEmpty = range.end !== undefined && range.end <= range.start
    const source = { client, name, key, signal }
    const bytes = download(source, isEmpty ? { start: 0, end: 1 } : range)
    if (isEmpty) await bytes.next().finally(() => bytes.return(undefined))
    else yield* bytes
  }

  const readRange: Files['readRange'] = async (key, range) => {
    const parts: Uint8Array[] = []
    for await (const part of read(key, range)) parts.push(part)
    const [first] = parts
    return parts.length === 1 && first ? first : Buffer.concat(parts)
  }

  async function* list(prefix: string) {
    for await (const { key, ...info } of listObjects(client, folder + prefix)) {
      const own = key.slice(folder.length)
      if (keyPattern.test(own)) yield { key: own, ...info }
    }
  }

  const remove = async (key: string) => {
    try {
      discard(await client.send({ method: 'DELETE', name: nameOf(key) }))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  return {
    write: async (key, content, signal) => withErrors(upload(nameOf(key), content, { client, checksums, signal })),
    read: (key, range, signal) => withErrorsOfAll(read(key, range, signal)),
    readRange: (key, range) => withErrors(readRange(key, range)),
    stat: (key) => withErrors(stat(key)),
    list: (prefix) => withErrorsOfAll(list(prefix)),
    remove: (key) => withErrors(remove(key)),
  }
}

/**
 * The files port on a bucket of an S3-compatible store. Memory is bounded by three parts of 8 MiB per write. With `recover`
 * the bucket is requested once, so that wrong credentials throw `unavailable` with the cause here.
 */
export const openS3Files = async (
  location: S3Location,
  { recover = true, now = Date.now }: OpenFilesOptions = {},
): Promise<OpenedFiles> => {
  const folder = folderOf(location.prefix)
  const client = createS3Client(location)
  try {
    if (recover) await withErrors(sweep(client, folder, now() - staleAfterMilliseconds))
  } catch (error) {
    client.close()
    throw error
  }
  const files = createFiles(client, folder, location.checksums)
  return { ...files, [Symbol.asyncDispose]: async () => client.close() }
}
