import { crc32 } from 'node:zlib'
import { serviceError } from '../../errors/mod.ts'
import { retry } from '../../retry/mod.ts'
import { cut } from '../cut.ts'
import type { S3Client } from './client.ts'
import { discard, readText } from './exchange.ts'
import { S3Error, s3RetryPolicy } from './s3-error.ts'
import { escapeXml, textOf } from './xml.ts'

/** Stores require parts of at least 5 MiB; some require that all but the last have the same size. */
const partBytes = 8 * 1024 * 1024
const maxParts = 10_000
/** Parts in flight. With the part that is being filled this bounds the memory of a write to three parts. */
const partsAtOnce = 2
/** A store may need long to assemble thousands of parts. */
const completionIdleMilliseconds = 120_000
const abortLimitMilliseconds = 5_000

export type UploadOptions = {
  client: S3Client
  /** The store verifies and stores a CRC-32 of the content; otherwise it verifies only the signed SHA-256 of each request. */
  checksums: boolean
  signal?: AbortSignal | undefined
}

type SentPart = { number: number; etag: string; checksum: string }

const checksumOf = (crc: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc)
  return bytes.toString('base64')
}

const putWhole = async (name: string, body: Uint8Array, { client, checksums, signal }: UploadOptions) => {
  const headers = checksums ? { 'x-amz-checksum-crc32': checksumOf(crc32(body)) } : {}
  const answer = await client.send({ method: 'PUT', name, body, headers, signal })
  discard(answer)
}

const begin = async (name: string, { client, checksums, signal }: UploadOptions): Promise<string> => {
  const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }
  const request = { method: 'POST', name, query: { uploads: '' }, headers: checksums ? headers : {}, signal } as const
  const uploadId = textOf(await client.sendForText(request), 'UploadId')
  if (!uploadId) throw serviceError('upstream_failed', 'The object store started an upload without returning its id.')
  return uploadId
}

const completion = (parts: readonly SentPart[], checksums: boolean): Buffer => {
  const rows = parts.map(({ number, etag, checksum }) => {
    const proof = checksums ? `<ChecksumCRC32>${checksum}</ChecksumCRC32>` : ''
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag>${proof}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return Buffer.from(`<CompleteMultipartUpload xmlns="${namespace}">${rows.join('')}</CompleteMultipartUpload>`)
}

/** Sends the parts as they come; the first failure cancels the others. */
const sendParts = async (
  name: string,
  uploadId: string,
  pieces: AsyncIterable<Uint8Array>,
  { client, checksums, signal }: UploadOptions,
) => {
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const sending: Promise<SentPart>[] = []
  let crc = 0
  let size = 0
  const sendPart = async (number: number, body: Uint8Array): Promise<SentPart> => {
    const checksum = checksums ? checksumOf(crc32(body)) : ''
    const headers = checksums ? { 'x-amz-checksum-crc32': checksum } : {}
    const query = { partNumber: String(number), uploadId }
    const answer = await client.send({ method: 'PUT', name, query, headers, body, signal: either })
    discard(answer)
    return { number, etag: answer.header('etag') ?? '', checksum }
  }
  try {
    for await (const piece of pieces) {
      if (sending.length === maxParts) {
        throw serviceError('too_large', `A file may be at most ${(maxParts * partBytes) / 2 ** 30} GiB on this store.`)
      }
      if (checksums) crc = crc32(piece, crc)
      size += piece.byteLength
      const part = sendPart(sending.length + 1, piece)
      // Awaited below, possibly after it has failed.
      part.catch(() => undefined)
      sending.push(part)
      await sending.at(-partsAtOnce)
    }
    return { parts: await Promise.all(sending), crc, size }
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(sending)
    throw error
  }
}

/** Whether the stored object is this upload. When the answer to a completion was lost, its retry finds no upload any more. */
const isThere = async (name: string, size: number, began: Date, { client, signal }: UploadOptions) => {
  const answer = await client.send({ method: 'HEAD', name, signal })
  discard(answer)
  const modified = new Date(answer.header('last-modified') ?? 0)
  // The store's times are whole seconds, by its own clock.
  const isNew = modified.getTime() > began.getTime() - 2_000
  return isNew && Number(answer.header('content-length')) === size && (answer.header('etag') ?? '').includes('-')
}

const complete = async (
  name: string,
  uploadId: string,
  sent: Awaited<ReturnType<typeof sendParts>>,
  options: UploadOptions,
): Promise<void> => {
  const { client, checksums, signal } = options
  const full = { 'x-amz-checksum-type': 'FULL_OBJECT', 'x-amz-checksum-crc32': checksumOf(sent.crc) }
  const began = new Date()
  await retry(
    s3RetryPolicy,
    async (again) => {
      try {
        const answer = await client.sendOnce({
          method: 'POST',
          name,
          query: { uploadId },
          headers: { 'content-type': 'application/xml', ...(checksums ? full : {}) },
          body: completion(sent.parts, checksums),
          signal,
          idleMilliseconds: completionIdleMilliseconds,
        })
        const text = await readText(answer)
        // The store sends the head before it knows the outcome.
        if (textOf(text, 'Error') !== undefined) throw new S3Error(500, textOf(text, 'Code'))
      } catch (error) {
        const gone = error instanceof S3Error && error.code === 'NoSuchUpload'
        if (!(again && gone && (await isThere(name, sent.size, began, options)))) throw error
      }
    },
    signal,
  )
}

/** Aborts an upload and frees its parts, best effort: the sweep aborts it later if this fails. */
export const abortUpload = async (client: S3Client, name: string, uploadId: string): Promise<void> => {
  const signal = AbortSignal.timeout(abortLimitMilliseconds)
  try {
    const answer = await client.send({ method: 'DELETE', name, query: { uploadId }, signal })
    discard(answer)
  } catch {
    // The store is unreachable, or the upload is gone; the caller needs the error that led here.
  }
}

async function* after(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

const uploadParts = async (name: string, pieces: AsyncGenerator<Uint8Array>, options: UploadOptions) => {
  const uploadId = await begin(name, options)
  try {
    const sent = await sendParts(name, uploadId, pieces, options)
    options.signal?.throwIfAborted()
    await complete(name, uploadId, sent, options)
    return { size: sent.size }
  } catch (error) {
    await abortUpload(options.client, name, uploadId)
    throw error
  }
}

/** Stores content under a name, atomically: in one request where it is small, otherwise in parts. */
export const upload = async (
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<{ size: number }> => {
  const pieces = cut(content, partBytes, options.signal)
  try {
    const { value: first = new Uint8Array(0) } = await pieces.next()
    const isWhole = first.byteLength < partBytes || (content instanceof Uint8Array && content.byteLength === partBytes)
    if (!isWhole) return await uploadParts(name, after(first, pieces), options)
    options.signal?.throwIfAborted()
    await putWhole(name, first, options)
    return { size: first.byteLength }
  } finally {
    // Releases the content's source, also after a failure.
    await pieces.return(undefined)
  }
}
