import { randomUUID } from 'node:crypto'

/** Folder token of keys without a folder; no key begins with it. */
const noFolder = '~'
/** The last part of an id. It goes into subjects of requests, where others could be wildcards. */
const token = /^[\w-]+$/

/**
 * The subjects of a bucket in its stream. A key is a subject, so that the server can filter by folder:
 *
 * - `PREFIX.files.BUCKET.key.SEGMENT.SEGMENT`  the manifests of a file, of which the last is valid
 * - `PREFIX.files.BUCKET.content.ID`           the chunks of one version of a file
 * - `PREFIX.files.BUCKET.intent.ID`            the key for which this content is being written or removed
 *
 * An ID is `FOLDER.UUID` with the first segment of the key, so that the server can restrict a writer to a folder. Earlier
 * versions wrote a UUID alone.
 */
export const createSubjects = (prefix: string, bucket: string) => {
  const root = `${prefix}.files.${bucket}`
  const keys = `${root}.key.`
  // `.` separates tokens, and `~` occurs in no key.
  const toTokens = (path: string) => path.replaceAll('.', '~').replaceAll('/', '.')
  const folderOf = (key: string) => (key.includes('/') ? toTokens(key.slice(0, key.indexOf('/'))) : noFolder)
  return {
    stream: `${prefix}_files_${bucket}`,
    all: `${root}.>`,
    /** API prefix under which another account imports requests about the stream, because its own JetStream answers `$JS.API`. */
    importedApi: `${prefix}.js`,
    key: (key: string): string => keys + toTokens(key),
    /** The key of a manifest's subject. */
    toKey: (subject: string): string => subject.slice(keys.length).replaceAll('.', '/').replaceAll('~', '.'),
    /** All keys in the folder of a prefix: a superset of the keys that start with it. */
    keysNear: (prefix: string): string => {
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      return `${keys}${toTokens(folder)}>`
    },
    /** All keys in a folder. */
    keysIn: (folder: string): string => `${keys}${toTokens(folder)}.>`,
    newId: (key: string): string => `${folderOf(key)}.${randomUUID()}`,
    /** Whether an id names content of the folder of a key. */
    isIdFor: (key: string, id: string): boolean => {
      const folder = `${folderOf(key)}.`
      return id.startsWith(folder) && token.test(id.slice(folder.length))
    },
    isIdWithoutFolder: (id: string): boolean => token.test(id),
    content: (id: string): string => `${root}.content.${id}`,
    /** All content of a folder. */
    contentIn: (folder: string): string => `${root}.content.${toTokens(folder)}.*`,
    intent: (id: string): string => `${root}.intent.${id}`,
    intents: `${root}.intent.>`,
    /** All intents for content of a folder. */
    intentsIn: (folder: string): string => `${root}.intent.${toTokens(folder)}.*`,
    toIntentId: (subject: string): string => subject.slice(`${root}.intent.`.length),
  }
}

export type Subjects = ReturnType<typeof createSubjects>
