import { clearStaleWrites, openDirectoryFiles } from './directory.ts'
import type { Files } from './files.ts'
import { checkLocation, type FilesLocation } from './location.ts'

export type OpenFilesOptions = {
  /** Clears what crashed writes left: for services, while workers that open the same location beside them must not. True unless said. */
  recover?: boolean
  /** The time in ms: what crashed writes left in a store is cleared when it is a day old, as its writer may be alive. */
  now?: () => number
}

/** Files whose connections, where they have any, end when disposed. */
export type OpenedFiles = Files & AsyncDisposable

/** A directory that other processes may have open, too; `openDirectoryFiles` is for one that has an owner. */
const openSharedDirectory = async (path: string, { recover = true, now = Date.now }: OpenFilesOptions) => {
  const files = await openDirectoryFiles(path, { recover: false })
  if (recover) await clearStaleWrites(path, now())
  return { ...files, [Symbol.asyncDispose]: async () => undefined }
}

/** Opens the files of a location; what speaks to a store is loaded for it alone. Throws `unavailable` with what is wrong where a store cannot be reached or refuses. */
export const openFiles = async (location: FilesLocation, options: OpenFilesOptions = {}): Promise<OpenedFiles> => {
  const checked = checkLocation(location)
  switch (checked.kind) {
    case 'directory':
      return openSharedDirectory(checked.path, options)
    case 's3':
      return (await import('./s3/s3-files.ts')).openS3Files(checked, options)
    case 'nats':
      return (await import('./nats/nats-files.ts')).openNatsFiles(checked, options)
  }
}
