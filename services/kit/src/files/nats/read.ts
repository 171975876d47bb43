import { createHash } from 'node:crypto'
import { serviceError } from '../../errors/mod.ts'
import { retry } from '../../retry/mod.ts'
import type { ByteRange } from '../files.ts'
import { missingFile } from '../key.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { manifestOf } from './intents.ts'
import { sequencesFrom } from './manifest.ts'

/** Chunks requested ahead of the reader; this bounds the memory of a read. */
const chunksAhead = 4

/** Reads a chunk from any server, and from the leader if that server does not have it yet. */
const readChunk = async ({ direct, streams, stream, subjects }: Bucket, key: string, id: string, sequence: number) => {
  const message =
    (await retry(natsRetryPolicy, () => direct.getMessage(stream, { seq: sequence }))) ??
    (await retry(natsRetryPolicy, () => streams.getMessage(stream, { seq: sequence })))
  if (message?.subject !== subjects.content(id)) {
    throw serviceError('conflict', `The file "${key}" was replaced or removed while it was read.`)
  }
  return message.data
}

/** Streams a file's bytes. Requests only the chunks that overlap the range; a file read whole is verified against its digest. */
export async function* readContent(
  bucket: Bucket,
  key: string,
  { start, end }: ByteRange,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  const manifest = await manifestOf(bucket, key)
  if (!manifest) throw missingFile(key)
  const { id, size, chunkBytes, runs } = manifest
  const last = Math.min(end ?? size, size)
  if (start >= last) return
  const digest = start === 0 && last === size ? createHash('sha256') : undefined
  const first = Math.floor(start / chunkBytes)
  const desired = Math.ceil(last / chunkBytes) - first
  const sequences = sequencesFrom(runs, first).take(desired)
  const requested: Promise<Uint8Array>[] = []
  const requestNext = () => {
    const { value: sequence, done } = sequences.next()
    if (done) return
    const chunk = readChunk(bucket, key, id, sequence)
    // Awaited later, possibly after it has failed.
    chunk.catch(() => undefined)
    requested.push(chunk)
  }
  for (let i = 0; i < chunksAhead; i++) requestNext()
  let position = first * chunkBytes
  for (let next = requested.shift(); next; next = requested.shift()) {
    const chunk = await next
    signal?.throwIfAborted()
    requestNext()
    digest?.update(chunk)
    const part = chunk.subarray(Math.max(0, start - position), last - position)
    position += chunk.byteLength
    yield part
  }
  if (position < last || (digest && digest.digest('hex') !== manifest.digest)) {
    throw serviceError('upstream_failed', `The file "${key}" was damaged when read from the NATS store.`)
  }
}
