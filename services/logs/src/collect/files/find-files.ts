import type { Dirent } from 'node:fs'
import { opendir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import { type LocalAccess, LocalFileRefused } from '../../local-files/local-files.ts'
import { compareCodePoints } from '../code-points.ts'
import { compileGlob, isGlob, splitGlob } from '../glob.ts'
import type { LocalFileEntry } from '../source-entry.ts'
import { isForeignPacking, type LogName, readLogName } from './log-names.ts'

/** A file to be collected; `log` is the path in the source of the log that it is a piece of, empty if the source is a single log. */
export type FoundFile = Omit<LogName, 'log'> & { path: string; log: string }

export type FindOptions = {
  access: Pick<LocalAccess, 'refusalOf'>
  signal: AbortSignal
  onProblem: (problem: string) => void
}

/** Further files of a source are skipped, which is reported. */
export const maxFiles = 250_000
const maxDepth = 64

type Selection = {
  folder: string
  isRecursive: boolean
  /** Whether a file is selected, by its path in the folder. */
  accepts: (path: string) => boolean
  /** The name of a file's log, by its path in the folder. */
  nameOf: (path: string) => LogName
}

const nameInFolder = (path: string): LogName => {
  const name = readLogName(basename(path))
  const folder = dirname(path)
  return { ...name, log: folder === '.' ? name.log : join(folder, name.log) }
}

/** A pattern without a slash matches names. */
const matcherOf = (patterns: readonly string[]): ((path: string) => boolean) => {
  const matchers = patterns.map((pattern) => ({ matches: compileGlob(pattern), isOfPath: pattern.includes('/') }))
  return (path) => matchers.some(({ matches, isOfPath }) => matches(isOfPath ? path : basename(path)))
}

/** A rotated file matches if its log does. */
const orItsLog =
  (matches: (path: string) => boolean) =>
  (path: string): boolean =>
    matches(path) || matches(nameInFolder(path).log)

const isHidden = (path: string) => basename(path).startsWith('.')

const inFolder = (entry: LocalFileEntry): Selection => {
  const included = entry.include.length === 0 ? () => true : orItsLog(matcherOf(entry.include))
  return {
    folder: entry.path,
    isRecursive: entry.recursive,
    accepts: (path) => !isHidden(path) && !isForeignPacking(path) && included(path),
    nameOf: nameInFolder,
  }
}

const byPattern = (entry: LocalFileEntry): Selection => {
  const { base, glob } = splitGlob(entry.path)
  const matches = orItsLog(compileGlob(glob))
  return {
    folder: base,
    isRecursive: glob.includes('/') || glob.includes('**'),
    accepts: (path) => !isForeignPacking(path) && matches(path),
    nameOf: nameInFolder,
  }
}

const oneLog = (entry: LocalFileEntry): Selection => {
  const own = basename(entry.path)
  const { isRotated } = readLogName(own)
  return {
    folder: dirname(entry.path),
    isRecursive: false,
    accepts: (path) => path === own || (!isRotated && !isForeignPacking(path) && readLogName(path).log === own),
    nameOf: (path) => ({ ...readLogName(path), log: '' }),
  }
}

const selectionOf = async (entry: LocalFileEntry): Promise<Selection> => {
  const found = await stat(entry.path).catch(() => undefined)
  if (found?.isDirectory()) return inFolder(entry)
  return !found && isGlob(entry.path) ? byPattern(entry) : oneLog(entry)
}

const reasonOf = (error: unknown): string => {
  if (error instanceof LocalFileRefused) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    ENOENT: 'it does not exist',
    ELOOP: 'its links form a cycle',
  }
  return words[code] ?? messageOf(error)
}

export const cannotBeRead = (path: string, error: unknown): string => `${path} cannot be read: ${reasonOf(error)}.`

/** Why a file, a folder or a glob may not be read; for a glob, its base folder is checked. */
export const refusalOfPattern = async (
  path: string,
  access: Pick<LocalAccess, 'refusalOf'>,
): Promise<string | undefined> => {
  return (await access.refusalOf(path)) ?? (isGlob(path) ? await access.refusalOf(splitGlob(path).base) : undefined)
}

type Link = { found: FoundFile; target: string }

/**
 * The current files of a source, grouped by log, in the order of code points of `log`. Files that cannot be read are reported. A link to a file
 * that is also found directly is skipped.
 */
export const findFiles = async (
  entry: LocalFileEntry,
  { access, signal, onProblem }: FindOptions,
): Promise<FoundFile[]> => {
  // Checked before any file is inspected, because the result would disclose which files exist.
  const refusal = await refusalOfPattern(entry.path, access)
  if (refusal !== undefined) {
    onProblem(cannotBeRead(entry.path, new LocalFileRefused(refusal)))
    return []
  }
  const selection = await selectionOf(entry)
  const excluded = entry.exclude.length === 0 ? () => false : orItsLog(matcherOf(entry.exclude))
  const files: FoundFile[] = []
  const links: Link[] = []
  const visited = new Set<string>()

  const requireAccess = async (path: string) => {
    const refusal = await access.refusalOf(path)
    if (refusal !== undefined) throw new LocalFileRefused(refusal)
  }
  const addFile = (path: string): FoundFile => ({ path: join(selection.folder, path), ...selection.nameOf(path) })
  const addLink = async (path: string, depth: number) => {
    if (!selection.isRecursive && !selection.accepts(path)) return
    const whole = join(selection.folder, path)
    await requireAccess(whole)
    const target = await stat(whole)
    if (target.isDirectory()) return await walk(path, depth + 1)
    if (target.isFile() && selection.accepts(path)) links.push({ found: addFile(path), target: await realpath(whole) })
  }
  const take = async (item: Dirent, folder: string, depth: number) => {
    const path = join(folder, item.name)
    if (excluded(path)) return
    if (item.isDirectory()) return selection.isRecursive ? await walk(path, depth + 1) : undefined
    if (item.isSymbolicLink()) return await addLink(path, depth)
    if (item.isFile() && selection.accepts(path)) files.push(addFile(path))
  }
  const walk = async (folder: string, depth: number): Promise<void> => {
    const whole = join(selection.folder, folder)
    if (depth > maxDepth) return onProblem(`${whole} is more than ${maxDepth} folders deep: it is skipped.`)
    if (depth > 0 && (isHidden(whole) || !selection.isRecursive)) return
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
      // The user knows the configured path, not the folder that contains it.
      onProblem(cannotBeRead(depth === 0 ? entry.path : whole, error))
    }
  }
  await walk('', 0)
  if (files.length + links.length >= maxFiles)
    onProblem(`${entry.path} has more than ${maxFiles} files: the others are skipped.`)
  if (links.length > 0) {
    const known = new Set(files.map(({ path }) => path))
    for (const { found, target } of links) {
      if (known.has(target)) continue
      known.add(target)
      files.push(found)
    }
  }
  if (files.length === 0 && !isGlob(entry.path) && visited.size > 0 && relative(selection.folder, entry.path) !== '') {
    const there = await stat(entry.path).catch(() => undefined)
    const isOther = there !== undefined && !there.isFile()
    onProblem(`${entry.path} ${isOther ? 'is not a file, but a pipe, a socket or a device' : 'does not exist yet'}.`)
  }
  return files.toSorted((a, b) => compareCodePoints(a.log, b.log) || compareCodePoints(a.path, b.path))
}
