import { retry } from '../../retry/mod.ts'
import type { FileInfo } from '../files.ts'
import { type Bucket, batchSubjects, natsRetryPolicy } from './bucket.ts'
import { manifestOf } from './intents.ts'
import { readManifest } from './manifest.ts'

/** The manifests of some keys, as far as the answering server has them. */
const manifestsOf = async ({ lastOfEach, subjects }: Bucket, keys: readonly string[]) => {
  const found = new Map<string, FileInfo>()
  for (const message of await lastOfEach(keys.map(subjects.key))) {
    const key = subjects.toKey(message.subject)
    found.set(key, { key, size: readManifest(key, message.string()).size, modifiedAt: message.time })
  }
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
  for (let at = 0; at < keys.length; at += batchSubjects) {
    const batch = keys.slice(at, at + batchSubjects)
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
