import type { Stats } from 'node:fs'
import { type FileHandle, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isInLogFolderOf, isWithin, type LogFolders } from './folders.ts'
import { openRegularFile, realPathOf } from './real-path.ts'

/** The author of a source: the administrator of the host in a file, or a caller of the API. */
export type AddedBy = 'administrator' | 'api'

/** A file must not be read. The message follows the file's name and "cannot be read:"; it does not disclose what exists. */
export class LocalFileRefused extends Error {
  override name = 'LocalFileRefused'
}

/** Access to files of this host for one kind of source. */
export type LocalAccess = {
  /** Why a path must not be read, with links resolved, as the end of a sentence; undefined if it may. The result does not depend on what exists. */
  refusalOf: (path: string) => Promise<string | undefined>
  /** Opens a regular file for reading and checks the opened file. Throws LocalFileRefused, or the error of opening. */
  open: (path: string) => Promise<FileHandle>
}

export type LocalFiles = {
  for: (addedBy: AddedBy) => LocalAccess
  /** The folders of `SERVICE_LOG_DIRS`, for people. */
  describeFolders: () => string
}

export type LocalFilesOptions = LogFolders & {
  inbox: string
  /** Folders of this installation, such as its data directory and SSH keys; not the inbox. */
  privateFolders: readonly string[]
  /** Files with secrets of this process's configuration. */
  secretFiles: readonly string[]
}

/** Virtual file systems, and folders in which container runtimes provide secrets. */
const systemFolders = ['/proc', '/sys', '/dev', '/run/secrets', '/var/run/secrets']

/** Configured folders are rarely replaced: their links are resolved again after this time. */
const resolvedMilliseconds = 5_000

type Resolved = {
  folders: readonly string[]
  applications: readonly string[]
  inbox: string
  forbidden: readonly string[]
}

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => resolve(path))

/** Both the path and its target: neither may be read. */
const withReal = async (paths: readonly string[]): Promise<string[]> => [
  ...new Set((await Promise.all(paths.map(async (path) => [resolve(path), await realOrSame(path)]))).flat()),
]

/**
 * A file with several names may have been hard-linked from elsewhere into a log folder. If only the file's owner may write to the folder, the
 * owner has done so.
 */
const mayBeForeignLink = async ({ nlink, uid }: Stats, path: string): Promise<boolean> => {
  if (nlink <= 1 || process.platform === 'win32') return false
  const folder = await stat(dirname(path))
  return folder.uid !== uid || (folder.mode & 0o022) !== 0
}

export const createLocalFiles = (options: LocalFilesOptions): LocalFiles => {
  let resolved: Promise<Resolved> | undefined
  let resolvedAt = 0
  const resolveAll = async (): Promise<Resolved> => ({
    folders: await Promise.all(options.folders.map(realOrSame)),
    applications: await Promise.all(options.applications.map(realOrSame)),
    inbox: await realOrSame(options.inbox),
    forbidden: await withReal([...systemFolders, ...options.privateFolders, ...options.secretFiles]),
  })
  const resolvedFolders = (): Promise<Resolved> => {
    if (resolved && performance.now() - resolvedAt < resolvedMilliseconds) return resolved
    resolvedAt = performance.now()
    resolved = resolveAll()
    return resolved
  }
  const isForbidden = (path: string, { forbidden, inbox }: Resolved) =>
    !isWithin(path, inbox) && forbidden.some((folder) => isWithin(path, folder))
  const isAmongLogs = (path: string, { folders, applications }: Resolved) =>
    folders.some((folder) => isWithin(path, folder)) || applications.some((folder) => isInLogFolderOf(path, folder))
  const isAllowedFor: Record<AddedBy, (path: string, known: Resolved) => boolean> = {
    administrator: (path, known) => !isForbidden(path, known),
    api: (path, known) => !isForbidden(path, known) && isAmongLogs(path, known),
  }
  const refusals: Record<AddedBy, string> = {
    administrator: `it belongs to the system (/proc, /sys, /dev) or to this installation, which no source may read; logs for it can be put into ${options.inbox}`,
    api: 'it is not in a folder of SERVICE_LOG_DIRS',
  }
  const accessOf = (addedBy: AddedBy): LocalAccess => {
    const refusal = refusals[addedBy]
    return {
      refusalOf: async (path) => {
        if (addedBy === 'api' && path.split(/[\\/]/).includes('..')) return refusal
        const realPath = await realPathOf(path)
        return realPath !== undefined && isAllowedFor[addedBy](realPath, await resolvedFolders()) ? undefined : refusal
      },
      open: async (path) => {
        const opened = await openRegularFile(path)
        if (!opened) throw new LocalFileRefused('it is not a regular file')
        await using closing = new AsyncDisposableStack()
        closing.use(opened.handle)
        const isAllowed = !opened.isOfKernel && isAllowedFor[addedBy](opened.path, await resolvedFolders())
        if (!isAllowed) throw new LocalFileRefused(refusal)
        if (addedBy === 'api' && (await mayBeForeignLink(opened.stats, opened.path)))
          throw new LocalFileRefused(
            'it has several names (hard links), and others may have linked it there; write the source into the sources file by hand',
          )
        closing.move()
        return opened.handle
      },
    }
  }
  const accesses = { administrator: accessOf('administrator'), api: accessOf('api') }
  return {
    for: (addedBy) => accesses[addedBy],
    describeFolders: () =>
      [
        options.folders.join(', '),
        ...(options.applications.length > 0
          ? [`folders named log or logs below ${options.applications.join(' and ')}`]
          : []),
      ].join(', and '),
  }
}
