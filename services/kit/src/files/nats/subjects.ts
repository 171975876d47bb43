/**
 * The subjects of a bucket in its stream. A key is a subject, so that the server can filter by folder:
 *
 * - `PREFIX.files.BUCKET.key.SEGMENT.SEGMENT`  the manifest of a file, one message
 * - `PREFIX.files.BUCKET.content.ID`           the chunks of one version of a file
 * - `PREFIX.files.BUCKET.intent.ID`            the key for which this content is being written or removed
 */
export const createSubjects = (prefix: string, bucket: string) => {
  const root = `${prefix}.files.${bucket}`
  const keys = `${root}.key.`
  // `.` separates tokens, and `~` occurs in no key.
  const toTokens = (path: string) => path.replaceAll('.', '~').replaceAll('/', '.')
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
    content: (id: string): string => `${root}.content.${id}`,
    intent: (id: string): string => `${root}.intent.${id}`,
    intents: `${root}.intent.*`,
    toIntentId: (subject: string): string => subject.slice(`${root}.intent.`.length),
  }
}

export type Subjects = ReturnType<typeof createSubjects>
