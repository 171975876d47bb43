export { type DirectoryFilesOptions, openDirectoryFiles } from './directory.ts'
export { type ByteRange, type FileInfo, type Files, keyPattern } from './files.ts'
export { type FilesLocation, readLocation } from './location.ts'
export { type OpenedFiles, openFiles } from './open-files.ts'
