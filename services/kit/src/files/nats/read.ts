import { createHash } from 'node:crypto'
import { serviceError } from '../../errors/mod.ts'
import type { ByteRange } from '../files.ts'
import { missingFile } from '../key.ts'
import { retrying } from '../retry.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { manifestOf } from './intents.ts'
import { placesFrom } from './manifest.ts'

/** Chunks that are asked for ahead of the reader: the memory of a read. */
const chunksAhead = 4

/** One chunk, from whichever server has it, else from the leader: a follower may not have it yet. */
const readChunk = async ({ direct, streams, stream, subjects }: Bucket, key: string, id: string, place: number) => {
  const message =
    (await retrying(natsRetryPolicy, () => direct.getMessage(stream, { seq: place }))) ??
    (await retrying(natsRetryPolicy, () => streams.getMessage(stream, { seq: place })))
  if (message?.subject !== subjects.content(id)) {
    throw serviceError('conflict', `The file "${key}" was replaced or removed while it was read.`)
  }
  return message.data
}

/** Streams a file's bytes. Asks for the chunks that the range touches, and no others; what is read whole is held to its digest. */
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
  const places = placesFrom(runs, first).take(desired)
  const requested: Promise<Uint8Array>[] = []
  const askNext = () => {
    const { value: place, done } = places.next()
    if (done) return
    const chunk = readChunk(bucket, key, id, place)
    // Awaited in its turn, but maybe not before it fails.
    chunk.catch(() => undefined)
    requested.push(chunk)
  }
  for (let i = 0; i < chunksAhead; i++) askNext()
  let position = first * chunkBytes
  for (let next = requested.shift(); next; next = requested.shift()) {
    const chunk = await next
    signal?.throwIfAborted()
    askNext()
    digest?.update(chunk)
    const part = chunk.subarray(Math.max(0, start - position), last - position)
    position += chunk.byteLength
    yield part
  }
  if (position < last || (digest && digest.digest('hex') !== manifest.digest)) {
    throw serviceError('upstream_failed', `The file "${key}" came back damaged from the NATS store.`)
  }
}
