import { isServiceError } from '../../errors/mod.ts'
import { retry } from '../../retry/mod.ts'
import { keyPattern } from '../files.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { damagedManifest, readManifest } from './manifest.ts'

/** Content whose intent is this old, in milliseconds, has lost its writer. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000
/** Maximum intents that a sweep processes. */
const sweptAtOnce = 1_000

/**
 * Records that content is about to be written, or to be removed from its key, so that a sweep finds it after a crash. A worker may not
 * declare that for content without a folder; such content is not found.
 */
export const declareIntent = async (bucket: Bucket, id: string, key: string): Promise<void> => {
  if (!bucket.isOwner && bucket.subjects.isIdWithoutFolder(id)) return
  await retry(natsRetryPolicy, () => bucket.publish(bucket.subjects.intent(id), key))
}

/** Runs a removal, best effort: if the store is unreachable, or this process may not remove, the intent stays for the owner's sweep. */
const removeLater = async ({ isOwner }: Bucket, remove: () => Promise<unknown>): Promise<void> => {
  if (!isOwner) return
  try {
    await remove()
  } catch {
    // The store is unreachable.
  }
}

/** Deletes an intent whose change is complete. */
export const endIntent = (bucket: Bucket, id: string): Promise<void> =>
  removeLater(bucket, () => bucket.purge(bucket.subjects.intent(id)))

/** Removes content without a key, and its intent. */
export const removeContent = (bucket: Bucket, id: string): Promise<void> =>
  removeLater(bucket, async () => {
    await bucket.purge(bucket.subjects.content(id))
    await bucket.purge(bucket.subjects.intent(id))
  })

/** Removes the manifests of a key that were replaced by the one with this sequence. */
export const removeReplacedManifests = (bucket: Bucket, key: string, sequence: number): Promise<void> =>
  removeLater(bucket, () => bucket.purge(bucket.subjects.key(key), sequence))

/**
 * Whether a manifest may name content: of its own folder, or without a folder if it is old. A worker that writes in one folder could
 * otherwise have the owner remove content of another.
 */
const mayName = ({ subjects, mayLackFolder }: Bucket, key: string, id: string, sequence: number) =>
  subjects.isIdFor(key, id) || (subjects.isIdWithoutFolder(id) && mayLackFolder(sequence))

/** The manifest of a key, and its sequence in the stream. Throws `upstream_failed` where it is damaged or names content of another folder. */
export const manifestOf = async (bucket: Bucket, key: string) => {
  const message = await bucket.last(bucket.subjects.key(key))
  if (!message) return undefined
  const manifest = readManifest(key, message.string())
  if (!mayName(bucket, key, manifest.id, message.seq)) throw damagedManifest(key)
  return { ...manifest, sequence: message.seq, modifiedAt: message.time }
}

/** Completes the change of an intent whose writer has left it. */
const settleIntent = async (bucket: Bucket, id: string, key: string): Promise<void> => {
  const { subjects } = bucket
  if (!keyPattern.test(key) || !(subjects.isIdFor(key, id) || subjects.isIdWithoutFolder(id)))
    return endIntent(bucket, id)
  const manifest = await manifestOf(bucket, key).catch((error: unknown) => {
    // The writer of a damaged manifest must not stop the sweep.
    if (isServiceError(error, 'upstream_failed')) return undefined
    throw error
  })
  if (manifest) await removeReplacedManifests(bucket, key, manifest.sequence)
  if (manifest?.id === id) await endIntent(bucket, id)
  else await removeContent(bucket, id)
}

/** Processes the intents of workers and of crashed writers: removes their content unless its manifest was written. */
export const sweepIntents = async (bucket: Bucket, now: number): Promise<void> => {
  const { subjects, streams, stream } = bucket
  const info = await retry(natsRetryPolicy, () => streams.info(stream, { subjects_filter: subjects.intents }))
  const intents = await bucket.lastOfEach(Object.keys(info.state.subjects ?? {}))
  const stale = intents.filter(({ time }) => time.getTime() <= now - staleAfterMilliseconds)
  for (const intent of stale.slice(0, sweptAtOnce))
    await settleIntent(bucket, subjects.toIntentId(intent.subject), intent.string())
}
