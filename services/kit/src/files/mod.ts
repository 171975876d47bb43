export { type DirectoryFilesOptions, openDirectoryFiles } from './directory.ts'
export { type ByteRange, type FileInfo, type Files, keyPattern } from './files.ts'
