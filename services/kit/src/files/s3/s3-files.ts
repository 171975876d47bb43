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

/** An upload in parts that is this old (ms) is nobody's any more. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000

/** A prefix is a folder of the bucket, or nothing. */
const folderOf = (prefix: string): string => {
  const inner = prefix.replace(/^\/+|\/+$/g, '')
  if (inner !== '' && !keyPattern.test(inner)) throw new TypeError(`"${prefix}" cannot be the prefix of files.`)
  return inner === '' ? '' : `${inner}/`
}

/** Frees what crashed writes left. The most that is done is one page; the next start goes on. */
const sweep = async (client: S3Client, folder: string, stale: number): Promise<void> => {
  for (const { name, uploadId, beganAt } of await listUploads(client, folder)) {
    if (beganAt.getTime() < stale) await abortUpload(client, name, uploadId)
  }
}

/** Refusals of the store by what they mean. Errors of connections had their names given where they were tried again; others are the content's own. */
const meaning = (error: unknown): unknown => (error instanceof S3Error ? toStoreError(error) : error)

const named = async <Value>(task: Promise<Value>): Promise<Value> => {
  try {
    return await task
  } catch (error) {
    throw meaning(error)
  }
}

async function* namedAll<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    throw meaning(error)
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

  /** The answer to HEAD has no body: whether key, bucket or user is missing is only said to GET. */
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
    // An empty range cannot be said in HTTP; whether there is such a file is still to be told.
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
    write: async (key, content, signal) => named(upload(nameOf(key), content, { client, checksums, signal })),
    read: (key, range, signal) => namedAll(read(key, range, signal)),
    readRange: (key, range) => named(readRange(key, range)),
    stat: (key) => named(stat(key)),
    list: (prefix) => namedAll(list(prefix)),
    remove: (key) => named(remove(key)),
  }
}

/**
 * The files port on a bucket of an S3-compatible store. Memory is bounded by three parts of 8 MiB a write. With `recover`
 * the bucket is asked once, so wrong credentials show here: `unavailable` is thrown with what is wrong.
 */
export const openS3Files = async (
  location: S3Location,
  { recover = true, now = Date.now }: OpenFilesOptions = {},
): Promise<OpenedFiles> => {
  const folder = folderOf(location.prefix)
  const client = createS3Client(location)
  try {
    if (recover) await named(sweep(client, folder, now() - staleAfterMilliseconds))
  } catch (error) {
    client.close()
    throw error
  }
  const files = createFiles(client, folder, location.checksums)
  return { ...files, [Symbol.asyncDispose]: async () => client.close() }
}
