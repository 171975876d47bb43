import { clearStaleWrites, openDirectoryFiles } from './directory.ts'
import type { Files } from './files.ts'
import { checkLocation, type FilesLocation } from './location.ts'

export type OpenFilesOptions = {
  /** Removes what crashed writes left. For services; workers that open the same location must pass false. Default true. */
  recover?: boolean
  /** The time in milliseconds. Partial writes are removed only when they are a day old, because their writer may be alive. */
  now?: () => number
}

/** Files whose connections, if any, are closed on disposal. */
export type OpenedFiles = Files & AsyncDisposable

/** Opens a directory that other processes may also have open; `openDirectoryFiles` is for a directory with one owner. */
const openSharedDirectory = async (path: string, { recover = true, now = Date.now }: OpenFilesOptions) => {
  const files = await openDirectoryFiles(path, { recover: false })
  if (recover) await clearStaleWrites(path, now())
  return { ...files, [Symbol.asyncDispose]: async () => undefined }
}

/** Opens the files of a location, importing the store's client lazily. Throws `unavailable` with the cause when the store cannot be used. */
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
