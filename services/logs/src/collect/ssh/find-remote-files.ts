import { posix } from 'node:path'
import { compareCodePoints } from '../code-points.ts'
import { isForeignPacking, type LogName, readLogName } from '../files/log-names.ts'
import type { StampedFile } from '../files/match-pieces.ts'
import { compileGlob, splitGlob } from '../glob.ts'
import type { RemoteEntry, RemoteFiles } from './remote-files.ts'
import { remoteStamp } from './remote-log-file.ts'
import { isSshFailure } from './ssh-failure.ts'

export type RemoteSearch = { signal: AbortSignal; onProblem: (problem: string) => void }

const maxFound = 10_000
const maxFolders = 20_000
const maxDepth = 8

/** The entries of a folder; empty if it cannot be listed, for example if its name is a pattern. */
const listIfThere = async (files: RemoteFiles, folder: string, signal: AbortSignal): Promise<RemoteEntry[]> => {
  try {
    return await files.list(folder, signal)
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    return []
  }
}

/** The path without links, or the path itself if it cannot be resolved. */
const realPathIfKnown = async (files: RemoteFiles, path: string, signal: AbortSignal): Promise<string> => {
  try {
    return await files.realPath(path, signal)
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    return path
  }
}

/** Links to files that are not found directly, and not by another link. */
const withoutRepeated = async (
  links: readonly StampedFile[],
  found: readonly StampedFile[],
  realPathOf: (path: string) => Promise<string>,
): Promise<StampedFile[]> => {
  if (links.length === 0) return []
  // A folder may be reached by a link, too.
  const folders = new Map<string, string>()
  for (const { path } of found) {
    const folder = posix.dirname(path)
    if (!folders.has(folder)) folders.set(folder, await realPathOf(folder))
  }
  const known = new Set(
    found.map(({ path }) => posix.join(folders.get(posix.dirname(path)) ?? '', posix.basename(path))),
  )
  const others: StampedFile[] = []
  for (const link of links.toSorted((a, b) => compareCodePoints(a.path, b.path))) {
    const target = await realPathOf(link.path)
    if (!known.has(target)) others.push(link)
    known.add(target)
  }
  return others
}

const escaped = (path: string): string => path.replaceAll(/[\\*?[\]{}()!+@|]/g, '\\$&')

const listQuietly = async (files: RemoteFiles, folder: string, { signal, onProblem }: RemoteSearch) => {
  try {
    return await files.list(folder, signal)
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    onProblem(error.message)
    return []
  }
}

const toFound = (path: string, name: LogName, entry: RemoteEntry): StampedFile => ({
  ...name,
  path,
  stamp: remoteStamp(path, entry),
})

/** The file at a path, with its rotated files; undefined if the file does not exist. */
const oneLog = (path: string, entries: readonly RemoteEntry[]): StampedFile[] | undefined => {
  const own = posix.basename(path)
  if (!entries.some(({ name, kind }) => name === own && kind === 'file')) return undefined
  const { isRotated } = readLogName(own)
  return entries.flatMap((entry): StampedFile[] => {
    const { name, kind } = entry
    if (kind !== 'file' || (name !== own && (isRotated || isForeignPacking(name)))) return []
    const read = readLogName(name)
    if (name !== own && read.log !== own) return []
    return [toFound(posix.join(posix.dirname(path), name), { ...read, log: '' }, entry)]
  })
}

/** One file, the files of a folder, or those that match a pattern, with their rotated files. Throws SshFailure. */
export const findRemoteFiles = async (
  files: RemoteFiles,
  pattern: string,
  search: RemoteSearch,
): Promise<StampedFile[]> => {
  const { base, glob } = splitGlob(pattern)
  const beside = posix.dirname(pattern)
  // A name may contain characters of patterns.
  const entries =
    glob === '' ? await files.list(beside, search.signal) : await listIfThere(files, beside, search.signal)
  const named = oneLog(pattern, entries)
  if (named) return named
  if (glob === '') {
    const isFolder = entries.some(({ name, kind }) => name === posix.basename(pattern) && kind === 'folder')
    if (isFolder) return findRemoteFiles(files, `${escaped(pattern)}/*`, search)
    search.onProblem(`${pattern} does not exist, or is a pipe, a socket or a device.`)
    return []
  }
  const found: StampedFile[] = []
  const links: StampedFile[] = []
  /** Folders without links in their paths: a link to a folder that contains it would repeat its files under other names. */
  const visited = new Set<string>()
  /** Walked last: a file keeps the name that it has without links, in whatever order a folder is listed. */
  const folderLinks: { path: string; left: number }[] = []
  let exceeded: string | undefined
  const fits = compileGlob(pattern, { dot: true })
  const add = (path: string, entry: RemoteEntry) => {
    const name = readLogName(entry.name)
    const folder = posix.dirname(path)
    if (isForeignPacking(entry.name) || !(fits(path) || fits(posix.join(folder, name.log)))) return
    if (found.length + links.length >= maxFound) {
      exceeded = `More than ${maxFound} files match`
      return
    }
    const log = posix.relative(base, posix.join(folder, name.log))
    ;(entry.isLink ? links : found).push(toFound(path, { ...name, log }, entry))
  }
  const realPathOf = (path: string) => realPathIfKnown(files, path, search.signal)
  const depth = glob.includes('**') ? maxDepth : glob.split('/').length
  const walk = async (folder: string, realPath: string, left: number): Promise<void> => {
    if (visited.has(realPath)) return
    if (visited.size >= maxFolders) {
      exceeded = `More than ${maxFolders} folders are in the folder of`
      return
    }
    visited.add(realPath)
    for (const entry of await listQuietly(files, folder, search)) {
      const path = posix.join(folder, entry.name)
      if (search.signal.aborted || exceeded !== undefined) return
      // biome-ignore lint/suspicious/noControlCharactersInRegex: names of logs do not have them
      if (/[\u0000-\u001f\u007f]/.test(entry.name)) continue
      if (entry.kind === 'folder' && left > 1) {
        if (entry.isLink) folderLinks.push({ path, left: left - 1 })
        else await walk(path, posix.join(realPath, entry.name), left - 1)
      }
      if (entry.kind === 'file') add(path, entry)
    }
  }
  await walk(base, await realPathOf(base), depth)
  for (const { path, left } of folderLinks) await walk(path, await realPathOf(path), left)
  if (exceeded !== undefined) search.onProblem(`${exceeded} ${pattern}: the others are skipped.`)
  return [...found, ...(await withoutRepeated(links, found, realPathOf))]
}
