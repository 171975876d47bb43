import { retry } from '../../retry/mod.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { readManifest } from './manifest.ts'

/** Content whose intent is this old, in milliseconds, has lost its writer. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000
/** Maximum intents per sweep. */
const sweptAtOnce = 1_000

/** Records that content is about to be written, or to be removed from its key, so that a sweep finds it after a crash. */
export const declareIntent = async (bucket: Bucket, id: string, key: string): Promise<void> => {
  await retry(natsRetryPolicy, () => bucket.publish(bucket.subjects.intent(id), key))
}

/** Deletes an intent, best effort: the sweep deletes it later if this fails. */
export const endIntent = async ({ subjects, purge }: Bucket, id: string): Promise<void> => {
  try {
    await purge(subjects.intent(id))
  } catch {
    // The store is unreachable; the intended change is complete.
  }
}

/** Removes content without a key, and its intent, best effort: the sweep removes the rest later. */
export const removeContent = async (bucket: Bucket, id: string): Promise<void> => {
  try {
    await bucket.purge(bucket.subjects.content(id))
    await endIntent(bucket, id)
  } catch {
    // The store is unreachable; the intent stays for the sweep.
  }
}

/** The manifest of a key, and its sequence in the stream. */
export const manifestOf = async ({ last, subjects }: Bucket, key: string) => {
  const message = await last(subjects.key(key))
  if (!message) return undefined
  return { ...readManifest(message.string()), sequence: message.seq, modifiedAt: message.time }
}

/** Processes the intents of crashed writers: removes their content unless its manifest was written. */
export const sweepIntents = async (bucket: Bucket, now: number): Promise<void> => {
  const { subjects, streams, stream } = bucket
  const info = await retry(natsRetryPolicy, () => streams.info(stream, { subjects_filter: subjects.intents }))
  for (const subject of Object.keys(info.state.subjects ?? {}).slice(0, sweptAtOnce)) {
    const message = await bucket.last(subject)
    if (!message || message.time.getTime() > now - staleAfterMilliseconds) continue
    const id = subjects.toIntentId(subject)
    const manifest = await manifestOf(bucket, message.string())
    if (manifest?.id === id) await endIntent(bucket, id)
    else await removeContent(bucket, id)
  }
}
