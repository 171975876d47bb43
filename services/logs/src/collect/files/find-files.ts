import type { Dirent } from 'node:fs'
import { opendir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import picomatch from 'picomatch'
import { type LocalAccess, LocalFileRefused } from '../../local-files/local-files.ts'
import { compareCodePoints } from '../code-points.ts'
import type { LocalFileEntry } from '../source-entry.ts'
import { isForeignPacking, type LogName, readLogName } from './log-names.ts'

/** A file to be collected; `log` is the log that it is a piece of, by its path in the source, and empty where the source is one log. */
export type FoundFile = Omit<LogName, 'log'> & { path: string; log: string }

export type FindOptions = {
  access: Pick<LocalAccess, 'refusalOf'>
  signal: AbortSignal
  onProblem: (problem: string) => void
}

/** Beyond it the rest of a source is left out, and said to be. */
export const maxFiles = 250_000
const deepestFolder = 64

type Wanted = {
  folder: string
  isRecursive: boolean
  /** Whether a file counts, by its path in the folder. */
  accepts: (path: string) => boolean
  /** What a log is called, by its path in the folder. */
  nameOf: (path: string) => LogName
}

const nameInFolder = (path: string): LogName => {
  const name = readLogName(basename(path))
  const folder = dirname(path)
  return { ...name, log: folder === '.' ? name.log : join(folder, name.log) }
}

/** A pattern without a folder in it is about names. */
const matcherOf = (patterns: readonly string[]): ((path: string) => boolean) => {
  const byPath = picomatch(patterns.filter((pattern) => pattern.includes('/')))
  const byName = picomatch(patterns.filter((pattern) => !pattern.includes('/')))
  return (path) => byPath(path) || byName(basename(path))
}

/** A rotated file is what its log is. */
const orItsLog =
  (matches: (path: string) => boolean) =>
  (path: string): boolean =>
    matches(path) || matches(nameInFolder(path).log)

const isHidden = (path: string) => basename(path).startsWith('.')

const inFolder = (entry: LocalFileEntry): Wanted => {
  const included = entry.include.length === 0 ? () => true : orItsLog(matcherOf(entry.include))
  return {
    folder: entry.path,
    isRecursive: entry.recursive,
    accepts: (path) => !isHidden(path) && !isForeignPacking(path) && included(path),
    nameOf: nameInFolder,
  }
}

const byPattern = (entry: LocalFileEntry): Wanted => {
  const { base, glob } = picomatch.scan(entry.path)
  const matches = orItsLog(picomatch(glob))
  return {
    folder: base === '' ? '/' : base,
    isRecursive: glob.includes('/') || glob.includes('**'),
    accepts: (path) => !isForeignPacking(path) && matches(path),
    nameOf: nameInFolder,
  }
}

const oneLog = (entry: LocalFileEntry): Wanted => {
  const own = basename(entry.path)
  const { isRotated } = readLogName(own)
  return {
    folder: dirname(entry.path),
    isRecursive: false,
    accepts: (path) => path === own || (!isRotated && !isForeignPacking(path) && readLogName(path).log === own),
    nameOf: (path) => ({ ...readLogName(path), log: '' }),
  }
}

const wantedOf = async (entry: LocalFileEntry): Promise<Wanted> => {
  const found = await stat(entry.path).catch(() => undefined)
  if (found?.isDirectory()) return inFolder(entry)
  return !found && picomatch.scan(entry.path).isGlob ? byPattern(entry) : oneLog(entry)
}

const reasonOf = (error: unknown): string => {
  if (error instanceof LocalFileRefused) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    ENOENT: 'it is not there',
    ELOOP: 'links in a circle',
  }
  return words[code] ?? messageOf(error)
}

export const cannotBeRead = (path: string, error: unknown): string => `${path} cannot be read: ${reasonOf(error)}.`

/** Why a file, a folder or a glob is not read; of a glob, the folder that it begins in. */
export const refusalOfPattern = async (
  path: string,
  access: Pick<LocalAccess, 'refusalOf'>,
): Promise<string | undefined> => {
  const { base, isGlob } = picomatch.scan(path)
  return (await access.refusalOf(path)) ?? (isGlob ? await access.refusalOf(base === '' ? '/' : base) : undefined)
}

type Link = { found: FoundFile; target: string }

/**
 * The files of a source as they are now, those of one log together, in the order of code points of `log`. What cannot be read is told of. A link
 * to a file that is found by itself, too, is left out.
 */
export const findFiles = async (
  entry: LocalFileEntry,
  { access, signal, onProblem }: FindOptions,
): Promise<FoundFile[]> => {
  // Before anything is looked at: an answer would tell what is there.
  const refusal = await refusalOfPattern(entry.path, access)
  if (refusal !== undefined) {
    onProblem(cannotBeRead(entry.path, new LocalFileRefused(refusal)))
    return []
  }
  const wanted = await wantedOf(entry)
  const excluded = entry.exclude.length === 0 ? () => false : orItsLog(matcherOf(entry.exclude))
  const files: FoundFile[] = []
  const links: Link[] = []
  const visited = new Set<string>()

  const requireAccess = async (path: string) => {
    const refusal = await access.refusalOf(path)
    if (refusal !== undefined) throw new LocalFileRefused(refusal)
  }
  const addFile = (path: string): FoundFile => ({ path: join(wanted.folder, path), ...wanted.nameOf(path) })
  const addLink = async (path: string, depth: number) => {
    if (!wanted.isRecursive && !wanted.accepts(path)) return
    const whole = join(wanted.folder, path)
    await requireAccess(whole)
    const target = await stat(whole)
    if (target.isDirectory()) return await walk(path, depth + 1)
    if (target.isFile() && wanted.accepts(path)) links.push({ found: addFile(path), target: await realpath(whole) })
  }
  const take = async (item: Dirent, folder: string, depth: number) => {
    const path = join(folder, item.name)
    if (excluded(path)) return
    if (item.isDirectory()) return wanted.isRecursive ? await walk(path, depth + 1) : undefined
    if (item.isSymbolicLink()) return await addLink(path, depth)
    if (item.isFile() && wanted.accepts(path)) files.push(addFile(path))
  }
  const walk = async (folder: string, depth: number): Promise<void> => {
    const whole = join(wanted.folder, folder)
    if (depth > deepestFolder)
      return onProblem(`${whole} lies more than ${deepestFolder} folders deep: it is left out.`)
    if (depth > 0 && (isHidden(whole) || !wanted.isRecursive)) return
    try {
      // The folder of a single file is listed for its rotated files, by their names.
      if (depth > 0) await requireAccess(whole)
      const { dev, ino } = await stat(whole)
      if (visited.has(`${dev}:${ino}`)) return
      visited.add(`${dev}:${ino}`)
      for await (const item of await opendir(whole, { bufferSize: 512 })) {
        if (signal.aborted) return
        if (files.length + links.length >= maxFiles) return
        await take(item, folder, depth).catch((error: unknown) =>
          onProblem(cannotBeRead(join(whole, item.name), error)),
        )
      }
    } catch (error) {
      // What was asked for is what somebody knows, not the folder that it lies in.
      onProblem(cannotBeRead(depth === 0 ? entry.path : whole, error))
    }
  }
  await walk('', 0)
  if (files.length + links.length >= maxFiles)
    onProblem(`${entry.path} has more than ${maxFiles} files: the rest is left out.`)
  if (links.length > 0) {
    const known = new Set(files.map(({ path }) => path))
    for (const { found, target } of links) {
      if (known.has(target)) continue
      known.add(target)
      files.push(found)
    }
  }
  if (
    files.length === 0 &&
    !picomatch.scan(entry.path).isGlob &&
    visited.size > 0 &&
    relative(wanted.folder, entry.path) !== ''
  )
    onProblem(`${entry.path} is not there yet.`)
  return files.toSorted((a, b) => compareCodePoints(a.log, b.log) || compareCodePoints(a.path, b.path))
}
