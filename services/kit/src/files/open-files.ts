import { type DirectoryFilesOptions, openDirectoryFiles } from './directory.ts'
import type { Files } from './files.ts'
import { checkLocation, type FilesLocation } from './location.ts'
import { openS3Files } from './s3/s3-files.ts'

/** Files whose connections, where they have any, end when disposed. */
export type OpenedFiles = Files & AsyncDisposable

/**
 * Opens the files of a location. With `recover`, the default, what crashed writes left is cleared: for services, while
 * workers that open the same location beside them say `recover: false`.
 */
export const openFiles = async (location: FilesLocation, options: DirectoryFilesOptions = {}): Promise<OpenedFiles> => {
  const checked = checkLocation(location)
  switch (checked.kind) {
    case 'directory':
      return { ...(await openDirectoryFiles(checked.path, options)), [Symbol.asyncDispose]: async () => undefined }
    case 's3':
      return openS3Files(checked, options)
    default:
      throw new TypeError(`Files cannot be kept on ${checked.kind} yet.`)
  }
}
