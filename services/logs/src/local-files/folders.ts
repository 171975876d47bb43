import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { knownLogPaths } from '../setup/known-log-paths.ts'
import { customaryLogFolders } from '../setup/log-folders.ts'

/** Configured folders that sources added through the API may be in. Links in them are resolved on use. */
export type LogFolders = {
  /** Folders whose contents are all allowed. */
  folders: readonly string[]
  /** Folders in which only subfolders named `log` or `logs` are allowed: applications store other files as well. */
  applications: readonly string[]
}

/** Folders of applications among those that are searched for logs. */
const applicationFolders = ['/opt', '/srv']
/** Also contains command histories. */
const isStateFolder = (folder: string) => folder.endsWith(join('.local', 'state'))

export const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest))
}

/** Whether a path is in a folder named log or logs below a folder: `/opt/shop/logs/web.log` below `/opt`. */
export const isInLogFolderOf = (path: string, folder: string): boolean =>
  isWithin(path, folder) &&
  relative(folder, path)
    .split(sep)
    .some((part) => /^logs?$/i.test(part))

/** The folder in the data directory whose files any source may read. */
export const inboxOf = (dataDirectory: string): string => resolve(dataDirectory, 'inbox')

export type LogFoldersOptions = {
  /** SERVICE_LOG_DIRS; empty for the usual folders of the system and the inbox. */
  logDirectories: readonly string[]
  /** SERVICE_SCAN_DIRS, which the administrator has also named for logs. */
  scanDirectories: readonly string[]
  dataDirectory: string
}

/** Log folders of programs outside of /var/log. */
const knownLogFolders = () => knownLogPaths.flatMap(({ paths }) => paths).filter((path) => !isWithin(path, '/var/log'))

export const logFolders = ({ logDirectories, scanDirectories, dataDirectory }: LogFoldersOptions): LogFolders => {
  const named = [...new Set([...logDirectories, ...scanDirectories].map((folder) => resolve(folder)))]
  if (logDirectories.length > 0) return { folders: named, applications: [] }
  const usual = customaryLogFolders(process.platform, homedir()).filter((folder) => !isStateFolder(folder))
  const isApplication = (folder: string) => applicationFolders.includes(folder)
  return {
    folders: [
      ...usual.filter((folder) => !isApplication(folder)),
      ...(process.platform === 'win32' ? [] : ['/run/log/journal', ...knownLogFolders()]),
      inboxOf(dataDirectory),
      ...named,
    ],
    applications: usual.filter(isApplication),
  }
}
