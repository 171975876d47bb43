import { retrying } from '../retry.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { readManifest } from './manifest.ts'

/** Content whose intent is this old (ms) has lost its writer. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000
/** The most intents that one sweep looks at. */
const sweptAtOnce = 1_000

/** Says, before the deed, that content is about to be written, or to be parted from its key. */
export const declareIntent = async (bucket: Bucket, id: string, key: string): Promise<void> => {
  await retrying(natsRetryPolicy, () => bucket.publish(bucket.subjects.intent(id), key))
}

/** Forgets an intent; one that cannot be forgotten now is swept later. */
export const endIntent = async ({ subjects, purge }: Bucket, id: string): Promise<void> => {
  try {
    await purge(subjects.intent(id))
  } catch {
    // The store is away, and what was intended is done.
  }
}

/** Removes content that is under no key, and its intent; what cannot be removed now is swept later. */
export const removeContent = async (bucket: Bucket, id: string): Promise<void> => {
  try {
    await bucket.purge(bucket.subjects.content(id))
    await endIntent(bucket, id)
  } catch {
    // The store is away. The intent stays and finds the content again.
  }
}

/** The manifest under a key, and its place in the stream. */
export const manifestOf = async ({ last, subjects }: Bucket, key: string) => {
  const message = await last(subjects.key(key))
  if (!message) return undefined
  return { ...readManifest(message.string()), place: message.seq, modifiedAt: message.time }
}

/** Ends the intents of crashed writers: their content goes unless its manifest was written. */
export const sweepIntents = async (bucket: Bucket, now: number): Promise<void> => {
  const { subjects, streams, stream } = bucket
  const info = await retrying(natsRetryPolicy, () => streams.info(stream, { subjects_filter: subjects.intents }))
  for (const subject of Object.keys(info.state.subjects ?? {}).slice(0, sweptAtOnce)) {
    const message = await bucket.last(subject)
    if (!message || message.time.getTime() > now - staleAfterMilliseconds) continue
    const id = subjects.toIntentId(subject)
    const manifest = await manifestOf(bucket, message.string())
    if (manifest?.id === id) await endIntent(bucket, id)
    else await removeContent(bucket, id)
  }
}
