import { lstat, opendir, realpath } from 'node:fs/promises'
import { basename, extname, join, sep } from 'node:path'

/** A file that looks like a log, by its name and folder. */
export type FoundFile = { path: string; size: number; modifiedAt: number }

export type WalkLimits = { milliseconds: number; depth: number; entries: number; files: number }

export const walkLimits: WalkLimits = { milliseconds: 3_000, depth: 8, entries: 100_000, files: 20_000 }

/** Virtual file systems, and folders that contain no logs whatever their names. */
const neverEntered = ['/proc', '/sys', '/dev', '/run']
const skippedFolders = new Set(['node_modules', '.git', '.cache', 'site-packages', 'proc', 'sys'])

const logEndings = new Set(['.log', '.out', '.err', '.jsonl', '.ndjson', '.trace', '.audit'])
/** Compressed, indexed or binary files; a compressed rotation belongs to the log that it was. */
const otherEndings = new Set(
  '.gz .zst .xz .bz2 .zip .tar .journal .db .sqlite .db-wal .db-shm .pid .lock .sock .state .png .jpg .pcap .bin .core .rrd'.split(
    ' ',
  ),
)
const rotated = /\.(?:log|out|err|jsonl)[.-]\d+$/i
const logFolder = /^(?:logs?|journal)$/i

/** In a log folder, every file counts that is not known to be something else; elsewhere, only files that are named like logs. */
const looksLikeLog = (name: string, isInLogFolder: boolean): boolean => {
  const ending = extname(name).toLowerCase()
  if (otherEndings.has(ending)) return false
  if (logEndings.has(ending) || rotated.test(name)) return true
  return isInLogFolder && (ending === '' || ending === '.txt' || /^\.\d+$/.test(ending) || !name.startsWith('.'))
}

const isEntered = (path: string) => !neverEntered.some((root) => path === root || path.startsWith(root + sep))

export type WalkOptions = {
  limits?: WalkLimits | undefined
  /** Whether the roots were configured as log folders: they count as such whatever their names; their subfolders do not. */
  areNamed?: boolean | undefined
  /** Files for which no source may be added are skipped. */
  mayBeAdded?: ((path: string) => Promise<boolean>) | undefined
}

export type Walk = { files: FoundFile[]; isComplete: boolean }

type Folder = { path: string; depth: number; isNamed: boolean; isOfLogs: boolean }

/**
 * Finds log files below folders, each once, the folders nearest to the roots first. Links are not followed; virtual file systems (/proc, /sys)
 * are not entered; unreadable folders are skipped. Ends at the first limit, and reports that it is incomplete.
 */
export const walkLogs = async (
  roots: readonly string[],
  signal: AbortSignal,
  { limits = walkLimits, areNamed = false, mayBeAdded = async () => true }: WalkOptions = {},
): Promise<Walk> => {
  const end = performance.now() + limits.milliseconds
  const files = new Map<string, FoundFile>()
  const waiting: Folder[] = []
  for (const root of roots) {
    // A root itself may be a link, because it was configured explicitly.
    const path = await realpath(root).catch(() => undefined)
    if (path !== undefined && isEntered(path))
      waiting.push({ path, depth: 0, isNamed: areNamed, isOfLogs: logFolder.test(basename(path)) })
  }
  const seen = new Set<string>()
  let entries = 0
  const isOver = () => performance.now() > end || entries >= limits.entries || files.size >= limits.files
  const take = async (folder: Folder) => {
    const listing = await opendir(folder.path).catch(() => undefined)
    if (!listing) return
    for await (const entry of listing) {
      if (++entries > limits.entries || isOver()) return
      signal.throwIfAborted()
      const path = join(folder.path, entry.name)
      if (entry.isDirectory()) {
        if (folder.depth >= limits.depth || skippedFolders.has(entry.name)) continue
        waiting.push({
          path,
          depth: folder.depth + 1,
          isNamed: false,
          isOfLogs: folder.isOfLogs || logFolder.test(entry.name),
        })
      } else if (entry.isFile() && looksLikeLog(entry.name, folder.isOfLogs || folder.isNamed)) {
        const about = await lstat(path).catch(() => undefined)
        if (about?.isFile() && about.size > 0 && (await mayBeAdded(path)))
          files.set(path, { path, size: about.size, modifiedAt: about.mtimeMs })
      }
    }
  }
  for (let folder = waiting.shift(); folder; folder = waiting.shift()) {
    if (isOver()) return { files: [...files.values()], isComplete: false }
    if (seen.has(folder.path)) continue
    seen.add(folder.path)
    // A folder that is removed while it is listed has no more files.
    await take(folder).catch((error: unknown) => {
      if (signal.aborted) throw error
    })
  }
  return { files: [...files.values()], isComplete: !isOver() }
}
