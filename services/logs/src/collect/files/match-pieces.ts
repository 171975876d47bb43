import { excerptBytes } from './excerpts.ts'
import { type FilePosition, type FileStamp, isSameFile, isSameStamp } from './file-position.ts'
import type { FoundFile } from './find-files.ts'

export type StampedFile = FoundFile & { stamp: FileStamp }

/** What a file of a log is: a known piece, a new piece, or a copy of an existing one, which is not read yet. */
export type Matched = { file: StampedFile } & (
  | { kind: 'known'; position: FilePosition }
  | { kind: 'new' }
  | { kind: 'copy' }
)

export type Compare = {
  /** Whether a file contains what was read up to a position. */
  holds: (file: StampedFile, position: FilePosition) => Promise<boolean>
  /** Whether the whole content of a file is at the start of another. */
  isStartOf: (file: StampedFile, other: StampedFile) => Promise<boolean>
}

const hasBytes = (position: FilePosition) => position.head.bytes > 0 && !position.isBinary

/** A new file under the log's own name may begin with the same few lines that its program always writes first. */
const isIdentifiedByBytes = (file: StampedFile, position: FilePosition) =>
  hasBytes(position) && (file.isRotated || position.head.bytes >= excerptBytes)

/** The same file according to the system, with no contradiction. A compressed file is never modified: its size and time identify it. */
const isStill = async (file: StampedFile, position: FilePosition, { holds }: Compare): Promise<boolean> => {
  if (!position.stamp || !isSameFile(file.stamp, position.stamp)) return false
  if (isSameStamp(file.stamp, position.stamp)) return true
  if (file.packing !== 'plain' || position.isBinary)
    return file.stamp.size === position.stamp.size && file.stamp.modified === position.stamp.modified
  return file.stamp.size >= position.offset && (!hasBytes(position) || (await holds(file, position)))
}

const find = async <Item>(items: Iterable<Item>, fits: (item: Item) => Promise<boolean>): Promise<Item | undefined> => {
  for (const item of items) if (await fits(item)) return item
  return undefined
}

/**
 * Matches the files of a log with its pieces. `files` are all files of the log, oldest first.
 * - Renamed: the same inode with the same bytes under another name.
 * - Truncated or rewritten: the same inode with other bytes; a new piece.
 * - Copied and then truncated, compressed, restored: another inode with the bytes of a piece whose own file is missing.
 * - A copy beside its original (an unfinished compression, a copy before the truncation) is not read until the original is missing.
 * A file under the log's own name is never a copy: the new file after a rotation by renaming may begin like the old one.
 */
export const matchPieces = async (
  files: readonly StampedFile[],
  positions: readonly FilePosition[],
  compare: Compare,
): Promise<Matched[]> => {
  const free = new Set(positions)
  const known = new Map<StampedFile, FilePosition>()
  for (const file of files) {
    const position = await find(free, (candidate) => isStill(file, candidate, compare))
    if (!position) continue
    free.delete(position)
    known.set(file, position)
  }
  const matched: Matched[] = []
  const { holds, isStartOf } = compare
  const isCopyOf = async (file: StampedFile, [other, position]: readonly [StampedFile, FilePosition]) =>
    (hasBytes(position) && (await holds(file, position))) || (await isStartOf(file, other))
  for (const file of files) {
    const own = known.get(file)
    const position =
      own ??
      (await find(free, async (candidate) => isIdentifiedByBytes(file, candidate) && (await holds(file, candidate))))
    if (position) {
      free.delete(position)
      matched.push({ file, kind: 'known', position })
      continue
    }
    // An empty file cannot be identified: it may be a copy that has just begun.
    const isCopy =
      file.isRotated &&
      (file.stamp.size === 0 || (await find(known, (candidate) => isCopyOf(file, candidate))) !== undefined)
    matched.push({ file, kind: isCopy ? 'copy' : 'new' })
  }
  return matched
}
