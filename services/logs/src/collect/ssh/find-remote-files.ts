import { posix } from 'node:path'
import picomatch from 'picomatch'
import type { RemoteEntry, RemoteFiles } from './remote-files.ts'
import { isSshFailure } from './ssh-failure.ts'

export type FoundRemoteFile = {
  path: string
  /** Its path below the part of the pattern that has no wildcards; empty where the source names one file. */
  unit: string
  size: number
  modifiedAt: number
}

export type RemoteSearch = { signal: AbortSignal; onProblem: (problem: string) => void }

const maxFound = 10_000
const maxDepth = 8

/** What rotation leaves beside a log: it is read where its log was, and is no log of its own. */
const rotated =
  /(?:\.\d{1,4}|[-.]\d{8}(?:-?\d{4,6})?|\.old|~)?\.(?:gz|xz|zst|bz2)$|\.\d{1,4}$|[-.]\d{8}(?:-?\d{4,6})?$|\.old$|~$/
export const isRotated = (name: string): boolean => rotated.test(name)

const listQuietly = async (files: RemoteFiles, folder: string, { signal, onProblem }: RemoteSearch) => {
  try {
    return await files.list(folder, signal)
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    onProblem(error.message)
    return []
  }
}

/** One file, the files of a folder, or those that a pattern fits; oldest first. Throws SshFailure for a path that is not there. */
export const findRemoteFiles = async (
  files: RemoteFiles,
  pattern: string,
  search: RemoteSearch,
): Promise<FoundRemoteFile[]> => {
  const { base, glob } = picomatch.scan(pattern)
  const found: FoundRemoteFile[] = []
  const add = (path: string, unit: string, { size, modifiedAt }: RemoteEntry) => {
    if (found.length < maxFound) found.push({ path, unit, size, modifiedAt })
    else if (found.length === maxFound) search.onProblem(`There are more than ${maxFound} files that fit ${pattern}.`)
  }
  if (glob === '') {
    const entries = await files.list(posix.dirname(pattern), search.signal)
    const entry = entries.find(({ name }) => name === posix.basename(pattern))
    if (entry?.kind === 'folder') return findRemoteFiles(files, `${pattern}/*`, search)
    if (entry) add(pattern, '', entry)
    else search.onProblem(`${pattern} is not there.`)
    return found
  }
  const fits = picomatch(pattern, { dot: true })
  const depth = glob.includes('**') ? maxDepth : glob.split('/').length
  const walk = async (folder: string, left: number): Promise<void> => {
    for (const entry of await listQuietly(files, folder, search)) {
      const path = posix.join(folder, entry.name)
      if (search.signal.aborted || found.length > maxFound) return
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a name with them is no log's
      if (/[\u0000-\u001f\u007f]/.test(entry.name)) continue
      if (entry.kind === 'folder' && left > 1) await walk(path, left - 1)
      if (entry.kind === 'file' && fits(path) && !isRotated(entry.name)) add(path, posix.relative(base, path), entry)
    }
  }
  await walk(base, depth)
  return found.toSorted((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1))
}
