import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { knownPlaces } from '../setup/known-places.ts'
import { customaryLogFolders } from '../setup/log-folders.ts'

/** Folders that sources added through the API may lie in, as configured: links in them are resolved when they are used. */
export type LogFolders = {
  /** Everything in these counts. */
  folders: readonly string[]
  /** In these, only what lies in a folder called `log` or `logs` counts: applications keep more than logs there. */
  applications: readonly string[]
}

/** Folders of whole applications, among those that are searched for logs. */
const applicationFolders = ['/opt', '/srv']
/** Holds histories of commands, too. */
const isStateFolder = (folder: string) => folder.endsWith(join('.local', 'state'))

export const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest))
}

/** Whether a path lies in a folder of logs below a folder: `/opt/shop/logs/web.log` below `/opt`. */
export const isInLogFolderOf = (path: string, folder: string): boolean =>
  isWithin(path, folder) &&
  relative(folder, path)
    .split(sep)
    .some((part) => /^logs?$/i.test(part))

/** The folder in the data directory whose files any source may name. */
export const inboxOf = (dataDirectory: string): string => resolve(dataDirectory, 'inbox')

export type LogFoldersOptions = {
  /** SERVICE_LOG_DIRS; empty: the system's usual folders and the inbox. */
  logDirectories: readonly string[]
  /** SERVICE_SCAN_DIRS, which the administrator has named for logs, too. */
  scanDirectories: readonly string[]
  dataDirectory: string
}

/** Programs' log folders outside of /var/log. */
const knownLogFolders = () => knownPlaces.flatMap(({ paths }) => paths).filter((path) => !isWithin(path, '/var/log'))

export const logFolders = ({ logDirectories, scanDirectories, dataDirectory }: LogFoldersOptions): LogFolders => {
  const named = [...logDirectories, ...scanDirectories].map((folder) => resolve(folder))
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
