import { retry } from '../../retry/mod.ts'
import type { FileInfo } from '../files.ts'
import { type Bucket, natsRetryPolicy } from './bucket.ts'
import { manifestOf } from './intents.ts'
import { readManifest } from './manifest.ts'

/** Manifests per request. Their subjects, of at most a kilobyte each, must fit into a message. */
const batchKeys = 500

/** The manifests of some keys, as far as the answering server has them. */
const manifestsOf = async ({ direct, stream, subjects }: Bucket, keys: readonly string[]) => {
  const found = new Map<string, FileInfo>()
  await retry(natsRetryPolicy, async () => {
    const messages = await direct.getLastMessagesFor(stream, { multi_last: keys.map(subjects.key) })
    for await (const message of messages) {
      const key = subjects.toKey(message.subject)
      found.set(key, { key, size: readManifest(key, message.string()).size, modifiedAt: message.time })
    }
  })
  return found
}

/** All files whose key starts with a prefix, in order. The names come from the leader and are held in memory; manifests are read in batches. */
export async function* listManifests(bucket: Bucket, prefix: string): AsyncGenerator<FileInfo> {
  const { streams, stream, subjects } = bucket
  const options = { subjects_filter: subjects.keysNear(prefix) }
  const info = await retry(natsRetryPolicy, () => streams.info(stream, options))
  const keys = Object.keys(info.state.subjects ?? {})
    .map(subjects.toKey)
    .filter((key) => key.startsWith(prefix))
    .toSorted()
  for (let at = 0; at < keys.length; at += batchKeys) {
    const batch = keys.slice(at, at + batchKeys)
    const found = await manifestsOf(bucket, batch)
    for (const key of batch) {
      const known = found.get(key)
      // A lagging follower may lack the newest manifests.
      const manifest = known ? undefined : await manifestOf(bucket, key)
      if (known) yield known
      else if (manifest) yield { key, size: manifest.size, modifiedAt: manifest.modifiedAt }
    }
  }
}
