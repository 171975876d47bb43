import { excerptBytes } from './excerpts.ts'
import { type FilePlace, type FileStamp, isSameFile, isSameStamp } from './file-place.ts'
import type { FoundFile } from './find-files.ts'

export type StampedFile = FoundFile & { stamp: FileStamp }

/** What a file of a log is: a piece that is known, one that is new, or a copy of one that is still there, which is waited with. */
export type Matched = { file: StampedFile } & ({ kind: 'known'; place: FilePlace } | { kind: 'new' } | { kind: 'copy' })

export type Compare = {
  /** Whether a file says what was read up to a place. */
  holds: (file: StampedFile, place: FilePlace) => Promise<boolean>
  /** Whether all that a file says stands at the start of another. */
  isStartOf: (file: StampedFile, other: StampedFile) => Promise<boolean>
}

const hasBytes = (place: FilePlace) => place.head.bytes > 0 && !place.isBinary

/** A new file under the log's own name may begin with the few lines that its program always begins with. */
const isToldByBytes = (file: StampedFile, place: FilePlace) =>
  hasBytes(place) && (file.isRotated || place.head.bytes >= excerptBytes)

/** The same file as far as the system says, and nothing contradicts it. A packed file is never written to: its size and time say enough. */
const isStill = async (file: StampedFile, place: FilePlace, { holds }: Compare): Promise<boolean> => {
  if (!place.stamp || !isSameFile(file.stamp, place.stamp)) return false
  if (isSameStamp(file.stamp, place.stamp)) return true
  if (file.packing !== 'plain' || place.isBinary)
    return file.stamp.size === place.stamp.size && file.stamp.modified === place.stamp.modified
  return file.stamp.size >= place.offset && (!hasBytes(place) || (await holds(file, place)))
}

const find = async <Item>(items: Iterable<Item>, fits: (item: Item) => Promise<boolean>): Promise<Item | undefined> => {
  for (const item of items) if (await fits(item)) return item
  return undefined
}

/**
 * Tells which files of a log are which of its pieces. `files` are all files of the log, oldest first.
 * - Renamed: the same inode with the same bytes under another name.
 * - Truncated or written anew: the same inode with other bytes; a piece of its own.
 * - Copied and then truncated, packed, restored: another inode with the bytes of a piece whose own file has gone.
 * - A copy beside its original (a packing that is not done, a copy before the truncation) waits until the original has gone.
 * A file under the log's own name is never a copy: what rotation by renaming makes new there may begin like the old one.
 */
export const matchPieces = async (
  files: readonly StampedFile[],
  places: readonly FilePlace[],
  compare: Compare,
): Promise<Matched[]> => {
  const free = new Set(places)
  const known = new Map<StampedFile, FilePlace>()
  for (const file of files) {
    const place = await find(free, (candidate) => isStill(file, candidate, compare))
    if (!place) continue
    free.delete(place)
    known.set(file, place)
  }
  const matched: Matched[] = []
  const { holds, isStartOf } = compare
  const isCopyOf = async (file: StampedFile, [other, place]: readonly [StampedFile, FilePlace]) =>
    (hasBytes(place) && (await holds(file, place))) || (await isStartOf(file, other))
  for (const file of files) {
    const own = known.get(file)
    const place =
      own ?? (await find(free, async (candidate) => isToldByBytes(file, candidate) && (await holds(file, candidate))))
    if (place) {
      free.delete(place)
      matched.push({ file, kind: 'known', place })
      continue
    }
    // Nothing can be told of an empty one: it may be a copy that has just begun.
    const isCopy =
      file.isRotated &&
      (file.stamp.size === 0 || (await find(known, (candidate) => isCopyOf(file, candidate))) !== undefined)
    matched.push({ file, kind: isCopy ? 'copy' : 'new' })
  }
  return matched
}
