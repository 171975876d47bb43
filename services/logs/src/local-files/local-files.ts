import type { Stats } from 'node:fs'
import { type FileHandle, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isInLogFolderOf, isWithin, type LogFolders } from './folders.ts'
import { openInPlace, realPlaceOf } from './real-place.ts'

/** Who wrote a source down: the administrator of the host, by hand, or somebody through the API. */
export type AddedBy = 'administrator' | 'api'

/** A file that must not be read. The message goes after the file's name and "cannot be read:"; it does not tell what is there. */
export class LocalFileRefused extends Error {
  override name = 'LocalFileRefused'
}

/** Access to files of this host for one kind of source. */
export type LocalAccess = {
  /** Why nothing is read at a path, links followed, as the end of a sentence; undefined where it may be. The answer does not depend on what exists. */
  refusalOf: (path: string) => Promise<string | undefined>
  /** Opens a regular file for reading, judged by what was opened. Throws LocalFileRefused, or what opening throws. */
  open: (path: string) => Promise<FileHandle>
}

export type LocalFiles = {
  for: (addedBy: AddedBy) => LocalAccess
  /** What `SERVICE_LOG_DIRS` stands for, for people. */
  describeFolders: () => string
}

export type LocalFilesOptions = LogFolders & {
  inbox: string
  /** Folders of this installation, such as its data directory and those of SSH keys; the inbox is not among them. */
  privateFolders: readonly string[]
  /** Files with secrets that this process was started with. */
  secretFiles: readonly string[]
}

/** What the kernel makes up, and where container runtimes hand secrets over. */
const systemFolders = ['/proc', '/sys', '/dev', '/run/secrets', '/var/run/secrets']

/** Folders are named in settings and hardly ever replaced: links in them are resolved again after so long. */
const resolvedMilliseconds = 5_000

type Resolved = {
  folders: readonly string[]
  applications: readonly string[]
  inbox: string
  closed: readonly string[]
}

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => resolve(path))

/** Both what was named and where it leads: neither is read. */
const withReal = async (paths: readonly string[]): Promise<string[]> => [
  ...new Set((await Promise.all(paths.map(async (path) => [resolve(path), await realOrSame(path)]))).flat()),
]

/**
 * A file with further names may be one of elsewhere that was linked into a folder of logs. Where only the file's owner can make names
 * in its folder, nobody but the owner has done so.
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
    closed: await withReal([...systemFolders, ...options.privateFolders, ...options.secretFiles]),
  })
  const places = (): Promise<Resolved> => {
    if (resolved && performance.now() - resolvedAt < resolvedMilliseconds) return resolved
    resolvedAt = performance.now()
    resolved = resolveAll()
    return resolved
  }
  const isClosed = (path: string, { closed, inbox }: Resolved) =>
    !isWithin(path, inbox) && closed.some((place) => isWithin(path, place))
  const isAmongLogs = (path: string, { folders, applications }: Resolved) =>
    folders.some((folder) => isWithin(path, folder)) || applications.some((folder) => isInLogFolderOf(path, folder))
  const isOpenTo: Record<AddedBy, (path: string, known: Resolved) => boolean> = {
    administrator: (path, known) => !isClosed(path, known),
    api: (path, known) => !isClosed(path, known) && isAmongLogs(path, known),
  }
  const refusals: Record<AddedBy, string> = {
    administrator: `it belongs to the system (/proc, /sys, /dev) or to this installation, which no source may read; logs for it can be put into ${options.inbox}`,
    api: 'it does not lie in a folder of SERVICE_LOG_DIRS',
  }
  const accessOf = (addedBy: AddedBy): LocalAccess => {
    const refusal = refusals[addedBy]
    return {
      refusalOf: async (path) => {
        if (addedBy === 'api' && path.split(/[\\/]/).includes('..')) return refusal
        const place = await realPlaceOf(path)
        return place !== undefined && isOpenTo[addedBy](place, await places()) ? undefined : refusal
      },
      open: async (path) => {
        const opened = await openInPlace(path)
        if (!opened) throw new LocalFileRefused('it is no regular file')
        await using closing = new AsyncDisposableStack()
        closing.use(opened.handle)
        const isAllowed = !opened.isOfKernel && isOpenTo[addedBy](opened.path, await places())
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
          ? [`folders called log or logs below ${options.applications.join(' and ')}`]
          : []),
      ].join(', and '),
  }
}
