import { createHash, randomUUID } from 'node:crypto'
import { headers } from '@nats-io/transport-node'
import { serviceError } from '../../errors/mod.ts'
import { cut } from '../cut.ts'
import { retrying } from '../retry.ts'
import { type Bucket, isReplaced, natsRetryPolicy } from './bucket.ts'
import { declareIntent, endIntent, manifestOf, removeContent } from './intents.ts'
import { type Manifest, toRuns, writeManifest } from './manifest.ts'

/** What a message holds, where the server takes as much. A range of 64 KiB reads one or two. */
const chunkBytes = 128 * 1024
/** Room for headers and subject in the server's limit of a message. */
const envelopeBytes = 4 * 1024
/** Chunks on their way at once: the memory of a write. */
const chunksAtOnce = 8
/** Others may replace the same key meanwhile, each time. */
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
  // A chunk whose acknowledgement was lost is sent again under the same name, and acknowledged with its first place.
  const publish = async (index: number, chunk: Uint8Array) =>
    (await retrying(natsRetryPolicy, () => bucket.publish(subject, chunk, { msgID: `${id}.${index}` }), signal)).seq
  try {
    for await (const chunk of cut(content, size, signal)) {
      digest.update(chunk)
      total += chunk.byteLength
      const place = publish(sending.length, chunk)
      // Awaited below, but maybe not before it fails.
      place.catch(() => undefined)
      sending.push(place)
      await sending.at(-chunksAtOnce)
    }
    const runs = toRuns(await Promise.all(sending))
    return { id, size: total, chunkBytes: size, digest: digest.digest('hex'), runs }
  } catch (error) {
    await Promise.allSettled(sending)
    throw error
  }
}

/** Puts a manifest under a key in place of the one that was read; gives the id of the content replaced. */
const commit = async (bucket: Bucket, key: string, manifest: Manifest): Promise<string | undefined> => {
  const text = writeManifest(manifest)
  for (let tried = 0; tried < maxCommits; tried++) {
    const old = await manifestOf(bucket, key)
    // An answer that was lost: it is written.
    if (old?.id === manifest.id) return undefined
    if (old) await declareIntent(bucket, old.id, key)
    const rollup = headers()
    rollup.set('Nats-Rollup', 'sub')
    const expect = { lastSubjectSequence: old?.place ?? 0 }
    try {
      await retrying(natsRetryPolicy, () => bucket.publish(bucket.subjects.key(key), text, { headers: rollup, expect }))
      return old?.id
    } catch (error) {
      if (!isReplaced(error)) throw error
    }
  }
  throw serviceError('conflict', `The file "${key}" is being replaced by many at once.`)
}

/** Publishes the content, or leaves none of it. */
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

/** Stores content under a key: the chunks first, the manifest last, so that it is there whole or not at all. */
export const writeContent = async (
  bucket: Bucket,
  key: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<{ size: number }> => {
  signal?.throwIfAborted()
  const id = randomUUID()
  await declareIntent(bucket, id, key)
  const manifest = await prepare(bucket, id, content, signal)
  // Where this fails the manifest may be there all the same, so the content stays: the intent finds it.
  const replaced = await commit(bucket, key, manifest)
  await endIntent(bucket, id)
  if (replaced) await removeContent(bucket, replaced)
  return { size: manifest.size }
}
