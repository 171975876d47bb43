import { crc32 } from 'node:zlib'
import { serviceError } from '../../errors/mod.ts'
import { createAttempts } from '../../retry/mod.ts'
import type { ByteRange } from '../files.ts'
import { missingFile } from '../key.ts'
import type { S3Client } from './client.ts'
import type { Answer } from './exchange.ts'
import { isMissing, S3Error, s3RetryPolicy } from './s3-error.ts'

export type Download = { client: S3Client; name: string; key: string; signal?: AbortSignal | undefined }

const damaged = (key: string) =>
  serviceError('upstream_failed', `The file "${key}" was damaged when read from the object store.`)

/** The CRC-32 that the store has for the whole object; undefined for a composite one over the checksums of parts. */
const storedChecksum = (answer: Answer): number | undefined => {
  const text = answer.header('x-amz-checksum-crc32')
  const bytes = Buffer.from(text ?? '', 'base64')
  return text && !text.includes('-') && bytes.byteLength === 4 ? bytes.readUInt32BE() : undefined
}

const rangeHeader = (position: number, end: number | undefined) =>
  position === 0 && end === undefined ? undefined : { range: `bytes=${position}-${end === undefined ? '' : end - 1}` }

/** Requests the object from a position on, in the version that `etag` names, if any. Undefined where the object ends before it. */
const openAt = async (
  { client, name, key, signal }: Download,
  position: number,
  end: number | undefined,
  etag: string | undefined,
): Promise<Answer | undefined> => {
  const range = rangeHeader(position, end)
  const headers = { ...(range ?? { 'x-amz-checksum-mode': 'ENABLED' }), ...(etag ? { 'if-match': etag } : {}) }
  try {
    const answer = await client.sendOnce({ method: 'GET', name, headers, signal })
    const promised = range ? answer.header('content-range')?.startsWith(`bytes ${position}-`) : true
    if (promised) return answer
    answer.body.destroy()
    throw serviceError('upstream_failed', 'The object store answered with another range than requested.')
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    if (error.status === 416) return undefined
    if (isMissing(error)) throw missingFile(key)
    if (error.status === 412) throw serviceError('conflict', `The file "${key}" was replaced while it was read.`)
    throw error
  }
}

/**
 * Streams an object's bytes. When the connection breaks, it resumes at the position reached, in the same
 * version of the object. An object read whole is verified against the checksum of the store.
 */
export async function* download(source: Download, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  const attempts = createAttempts(s3RetryPolicy, source.signal)
  const isWhole = start === 0 && end === undefined
  let position = start
  let etag: string | undefined
  let expected: number | undefined
  let crc = 0
  for (;;) {
    try {
      const answer = await openAt(source, position, end, etag)
      if (!answer) break
      if (etag === undefined && isWhole) expected = storedChecksum(answer)
      etag ??= answer.header('etag')
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        if (expected !== undefined) crc = crc32(chunk, crc)
        position += chunk.byteLength
        attempts.reset()
        yield chunk
      }
      break
    } catch (error) {
      await attempts.pause(error)
    }
  }
  if (expected !== undefined && crc !== expected) throw damaged(source.key)
}
