import type { Files } from '../files.ts'
import { checkKey } from '../key.ts'
import type { NatsLocation } from '../location.ts'
import type { OpenedFiles, OpenFilesOptions } from '../open-files.ts'
import { type Bucket, openBucket } from './bucket.ts'
import { declareIntent, manifestOf, removeContent, sweepIntents } from './intents.ts'
import { listManifests } from './list.ts'
import { readContent } from './read.ts'
import { writeContent } from './write.ts'

const removeFile = async (bucket: Bucket, key: string): Promise<void> => {
  const manifest = await manifestOf(bucket, key)
  if (!manifest) return
  await declareIntent(bucket, manifest.id, key)
  // Deletes this manifest and those that it replaced: a later write stays.
  await bucket.purge(bucket.subjects.key(key), manifest.sequence + 1)
  await removeContent(bucket, manifest.id)
}

const createFiles = (bucket: Bucket): Files => {
  async function* read(...[key, range = { start: 0 }, signal]: Parameters<Files['read']>) {
    yield* readContent(bucket, checkKey(key), range, signal)
  }
  return {
    write: async (key, content, signal) => writeContent(bucket, checkKey(key), content, signal),
    read,
    readRange: async (key, range) => {
      const parts: Uint8Array[] = []
      for await (const part of read(key, range)) parts.push(part)
      const [first] = parts
      return parts.length === 1 && first ? first : Buffer.concat(parts)
    },
    stat: async (key) => {
      const manifest = await manifestOf(bucket, checkKey(key))
      return manifest && { key, size: manifest.size, modifiedAt: manifest.modifiedAt }
    },
    list: (prefix) => listManifests(bucket, prefix),
    remove: async (key) => removeFile(bucket, checkKey(key)),
  }
}

/** Also long enough that no process of an earlier version is left after an upgrade. */
const maintenanceMilliseconds = 60 * 60 * 1_000

/** Upgrades the stream and processes the intents that workers leave, every hour until disposed. What fails is repeated an hour later. */
const maintain = (bucket: Bucket, now: () => number): Disposable => {
  const run = async () => {
    await bucket.upgrade()
    await sweepIntents(bucket, now())
  }
  const timer = setInterval(() => run().catch(() => undefined), maintenanceMilliseconds)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The files port on a dedicated JetStream stream, for installations with NATS but without S3. Throws `unavailable`. */
export const openNatsFiles = async (
  location: NatsLocation,
  { recover = true, now = Date.now }: OpenFilesOptions = {},
): Promise<OpenedFiles> => {
  const bucket = await openBucket(location)
  try {
    if (recover) await sweepIntents(bucket, now())
    const maintenance = recover ? maintain(bucket, now) : undefined
    return {
      ...createFiles(bucket),
      [Symbol.asyncDispose]: async () => {
        maintenance?.[Symbol.dispose]()
        await bucket.close()
      },
    }
  } catch (error) {
    await bucket.close()
    throw error
  }
}
