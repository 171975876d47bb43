import { createLocalFiles, type LocalFiles } from './local-files.ts'

/** Access for tests: sources added through the API read these folders; those of the administrator, anything but the system's. */
export const localFilesOf = (folders: readonly string[]): LocalFiles =>
  createLocalFiles({ folders, applications: [], inbox: '/nonexistent/inbox', privateFolders: [], secretFiles: [] })
