import { createLocalFiles, type LocalFiles } from './local-files.ts'

/** Access for tests: sources added through the API may read these folders; those of the administrator anything but system files. */
export const localFilesOf = (folders: readonly string[]): LocalFiles =>
  createLocalFiles({ folders, applications: [], inbox: '/nonexistent/inbox', privateFolders: [], secretFiles: [] })
