export { type DirectoryFilesOptions, openDirectoryFiles } from './directory.ts'
export { type ByteRange, type FileInfo, type Files, keyPattern } from './files.ts'
export { type FilesLocation, readLocation } from './location.ts'
export { type OpenedFiles, type OpenFilesOptions, openFiles } from './open-files.ts'
