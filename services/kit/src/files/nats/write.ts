import { createHash } from 'node:crypto'
import { serviceError } from '../../errors/mod.ts'
import { retry } from '../../retry/mod.ts'
import { cut } from '../cut.ts'
import { type Bucket, isReplaced, natsRetryPolicy } from './bucket.ts'
import { declareIntent, endIntent, manifestOf, removeContent, removeReplacedManifests } from './intents.ts'
import { type Manifest, toRuns, writeManifest } from './manifest.ts'

/** Bytes per message, where the server accepts that many. A range of 64 KiB reads one or two messages. */
const chunkBytes = 128 * 1024
/** Headroom for headers and subject within the server's maximum message size. */
const envelopeBytes = 4 * 1024
/** Chunks in flight; this bounds the memory of a write. */
const chunksAtOnce = 8
/** Maximum attempts to commit, since others may replace the same key each time. */
const maxCommits = 20

const publishChunks = async (
  bucket: Bucket,
  id: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<Manifest> => {
  const limit = bucket.connection.info?.max_payload ?? chunkBytes + envelopeBytes
  const size = Math.min(chunkBytes, limit - envelopeBytes)
  const subject = bucket.subjects.content(id)
  const sending: Promise<number>[] = []
  const digest = createHash('sha256')
  let total = 0
  // A chunk whose acknowledgement was lost is sent again with the same id, and acknowledged with its first sequence.
  const publish = async (index: number, chunk: Uint8Array) =>
    (await retry(natsRetryPolicy, () => bucket.publish(subject, chunk, { msgID: `${id}.${index}` }), signal)).seq
  try {
    for await (const chunk of cut(content, size, signal)) {
      digest.update(chunk)
      total += chunk.byteLength
      const sequence = publish(sending.length, chunk)
      // Awaited below, possibly after it has failed.
      sequence.catch(() => undefined)
      sending.push(sequence)
      await sending.at(-chunksAtOnce)
    }
    const runs = toRuns(await Promise.all(sending))
    return { id, size: total, chunkBytes: size, digest: digest.digest('hex'), runs }
  } catch (error) {
    await Promise.allSettled(sending)
    throw error
  }
}

/** Replaces the manifest of a key (compare-and-set) and returns the id of the replaced content. */
const commit = async (bucket: Bucket, key: string, manifest: Manifest): Promise<string | undefined> => {
  const text = writeManifest(manifest)
  for (let tried = 0; tried < maxCommits; tried++) {
    const old = await manifestOf(bucket, key)
    // An earlier attempt succeeded, but its answer was lost.
    if (old?.id === manifest.id) return undefined
    if (old) await declareIntent(bucket, old.id, key)
    const expect = { lastSubjectSequence: old?.sequence ?? 0 }
    try {
      const { seq } = await retry(natsRetryPolicy, () => bucket.publish(bucket.subjects.key(key), text, { expect }))
      if (old) await removeReplacedManifests(bucket, key, seq)
      return old?.id
    } catch (error) {
      if (!isReplaced(error)) throw error
    }
  }
  throw serviceError('conflict', `The file "${key}" is being replaced by too many writers at once. Try again.`)
}

/** Publishes the content; removes all of it on failure. */
const prepare = async (...[bucket, id, content, signal]: Parameters<typeof publishChunks>): Promise<Manifest> => {
  try {
    const manifest = await publishChunks(bucket, id, content, signal)
    signal?.throwIfAborted()
    return manifest
  } catch (error) {
    await removeContent(bucket, id)
    throw error
  }
}

/** Stores content under a key: the chunks first, the manifest last, so that the write is atomic. */
export const writeContent = async (
  bucket: Bucket,
  key: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<{ size: number }> => {
  signal?.throwIfAborted()
  const id = bucket.subjects.newId(key)
  await declareIntent(bucket, id, key)
  const manifest = await prepare(bucket, id, content, signal)
  // If this fails the manifest may be stored nevertheless, so the content stays, and the intent leaves it to the sweep.
  const replaced = await commit(bucket, key, manifest)
  await endIntent(bucket, id)
  if (replaced) await removeContent(bucket, replaced)
  return { size: manifest.size }
}
