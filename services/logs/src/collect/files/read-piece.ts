import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chunk, Stream } from '../collector.ts'
import { countLineFeeds } from '../count-line-feeds.ts'
import { bytesAt, createExcerpts, excerptBytes, headOf, type OpenFile, readFully, tailAt } from './excerpts.ts'
import {
  type Excerpt,
  type FilePlace,
  type FileStamp,
  isSameFile,
  lineOf,
  modifiedMilliseconds,
  sequenceOf,
  stampOf,
  toCheckpoint,
} from './file-place.ts'
import { createLineMarks, type Mark } from './line-marks.ts'

export type PieceStream = Pick<Stream, 'sourceId' | 'format' | 'zone' | 'joins'>

export type ReadPieceOptions = {
  path: string
  open: OpenFile
  /** Where to begin. `stamp` is that of the file that is meant. */
  place: FilePlace & { stamp: FileStamp }
  /** From the first byte on, whatever the place says; places before it are not told. */
  force: boolean
  stream: PieceStream
  now: () => number
  signal: AbortSignal
}

/** A file that has not changed for so long is written to no more for now: its last entry is complete. */
export const quietMilliseconds = 500
/** After so long without a change a line without an end is taken as it is. */
export const standsMilliseconds = 5_000

const chunkBytes = 512 * 1024
/** The most of a line without an end that is kept waiting; more of it would be cut anyway. */
const maxWaitingBytes = 4 * 1024 * 1024
/** The format is told by so many of the first bytes when a file is read on. */
const sampleBytes = 64 * 1024

const nothing = new Uint8Array(0)

/** Holes of sparse files, and what a truncation under a writer leaves, read as NULs; no text has them. */
const withoutNuls = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

/** Waits until a file has stood still for a moment; false where it is still being written to, or the signal aborts. */
const standsStill = async (file: FileHandle, stamp: FileStamp, now: number, signal: AbortSignal): Promise<boolean> => {
  const age = now - modifiedMilliseconds(stamp)
  if (age >= quietMilliseconds) return true
  // A clock that is ahead (that of a server of files) is not waited for.
  const wait = Math.min(quietMilliseconds, quietMilliseconds - age)
  await sleep(wait, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) return false
  const later = stampOf(await file.stat({ bigint: true }))
  return later.size === stamp.size && later.modified === stamp.modified
}

/** Both are of the start of the same file. */
const longer = (a: Excerpt, b: Excerpt): Excerpt => (a.bytes > b.bytes ? a : b)

/** Opens a path again, if it is still the file that is meant. */
const reopen = async (
  { path, open }: Pick<ReadPieceOptions, 'path' | 'open'>,
  stamp: FileStamp,
): Promise<FileHandle | undefined> => {
  const file = await open(path).catch(() => undefined)
  if (file && isSameFile(stampOf(await file.stat({ bigint: true })), stamp)) return file
  await file?.close()
  return undefined
}

/** Reads a file line by line's end; what follows the last end waits. Lines and offsets are those of the file as it lies on disk. */
const createLineReader = (file: FileHandle, start: { offset: number; line: number }) => {
  let { offset, line } = start
  let lineStart = offset
  let waiting: Uint8Array<ArrayBuffer> = nothing
  const excerpts = createExcerpts()
  return {
    excerpts,
    /** What of the file has been read, taken or waiting. */
    get offset() {
      return offset
    },
    /** Where the line begins that waits, and its number. */
    get place() {
      return { offset: lineStart, line }
    },
    get waits() {
      return waiting.length > 0
    },
    /** Whole lines; empty where a line goes on; undefined at the end of the file. */
    next: async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const buffer = new Uint8Array(chunkBytes)
      const filled = await readFully(file, buffer, offset)
      if (filled === 0) return undefined
      offset += filled
      const read = joined(waiting, buffer.subarray(0, filled))
      const lastEnd = read.lastIndexOf(10)
      // A hole is no line that waits: only its end counts.
      const isTooLong = lastEnd < 0 && read.length >= maxWaitingBytes
      if (lastEnd < 0 && !isTooLong) {
        waiting = read
        return nothing
      }
      const end = isTooLong ? read.length : lastEnd + 1
      const taken = read.slice(0, end)
      waiting = read.slice(end)
      line += countLineFeeds(taken)
      lineStart += end
      excerpts.add(taken)
      return withoutNuls(taken)
    },
    /** What waits, as if it were a line. */
    takeRest: (): Uint8Array<ArrayBuffer> => {
      excerpts.add(waiting)
      lineStart += waiting.length
      const rest = withoutNuls(waiting)
      waiting = nothing
      return rest
    },
  }
}

/**
 * What a plain file says from its place on, as chunks of whole lines. A last line without an end waits until the file has stood for a while.
 * The last chunk says `ended` when the file stands still, else `paused`. Gives nothing where the file is another one by now.
 */
export async function* readPiece(options: ReadPieceOptions): AsyncGenerator<Chunk> {
  const { path, place, force, now, signal } = options
  const { generation } = place
  await using file = await options.open(path)
  let stamp = stampOf(await file.stat({ bigint: true }))
  if (!isSameFile(stamp, place.stamp)) return
  const start = force ? { offset: 0, line: 1 } : { offset: place.offset, line: place.line }
  const reader = createLineReader(file, start)
  const marks = createLineMarks(() => reopen(options, place.stamp))
  const placeAt = (at: { offset: number; line: number }, seen: FileStamp, tail: Excerpt): FilePlace => ({
    ...place,
    ...at,
    path,
    stamp: seen,
    head: longer(place.head, reader.excerpts.head()),
    tail,
  })
  /** To be looked at again, whatever the system says about it. */
  const unlooked: FileStamp = { ...place.stamp, changed: '' }
  /** The place of a line as the file has it now; undefined where the file has become another one. */
  const placeInFile = async (line: number, mark: Mark): Promise<FilePlace | undefined> => {
    const offset = await marks.offsetOf(line, mark)
    await using opened = offset === undefined ? undefined : await reopen(options, place.stamp)
    const head = reader.excerpts.head()
    if (offset === undefined || !opened) return undefined
    if ((await headOf(opened, head.bytes)).digest !== head.digest) return undefined
    const tail = await tailAt(opened, offset)
    return tail.digest === '' ? undefined : placeAt({ offset, line }, unlooked, tail)
  }
  const checkpointAt = async (sequence: number) => {
    const line = lineOf(generation, sequence)
    const mark = marks.before(line)
    if (!mark) return undefined
    // Renamed or truncated meanwhile, the file is not asked: from the mark on it is read again, under the name that it has then.
    const found = mark.line === line ? undefined : await placeInFile(line, mark)
    const at = found ?? placeAt({ offset: mark.offset, line: mark.line }, unlooked, mark.tail)
    return at.offset < place.offset ? undefined : toCheckpoint(at)
  }
  const stream: Stream = {
    ...options.stream,
    firstLine: sequenceOf(generation, start.line),
    reference: modifiedMilliseconds(stamp),
    sample: start.offset > 0 ? await bytesAt(file, 0, sampleBytes) : undefined,
    checkpointAt,
  }
  if (start.offset > 0) {
    const tailStart = Math.max(0, start.offset - excerptBytes)
    reader.excerpts.add(await bytesAt(file, 0, Math.min(excerptBytes, tailStart)))
    reader.excerpts.add(await bytesAt(file, tailStart, start.offset - tailStart))
    // Truncated since it was matched, it is another piece; what stands there now must not be told as what stood before the place.
    if (reader.excerpts.tail().digest !== place.tail.digest) return
  }
  const mark = () => marks.add({ ...reader.place, tail: reader.excerpts.tail() })
  mark()
  for (let hasWaited = false; !signal.aborted; ) {
    const bytes = await reader.next()
    if (bytes) {
      if (bytes.length > 0) mark()
      yield { stream, bytes }
      continue
    }
    const isStill = await standsStill(file, stamp, now(), signal)
    stamp = stampOf(await file.stat({ bigint: true }))
    const hasGrown = stamp.size > reader.offset
    if (!hasGrown && isStill) break
    // A writer that never rests is left after one wait; the next round comes.
    if (hasWaited) return yield { stream, bytes: nothing, last: 'paused' }
    hasWaited = true
  }
  if (signal.aborted) return yield { stream, bytes: nothing, last: 'paused' }
  const isTaken = reader.waits && now() - modifiedMilliseconds(stamp) >= standsMilliseconds
  const bytes = isTaken ? reader.takeRest() : nothing
  // Truncated while it was read: the copy that is made before has the rest, and what the file is now is another piece.
  const seen = stamp.size < reader.offset ? unlooked : stamp
  const end = placeAt(reader.place, seen, reader.excerpts.tail())
  yield { stream, bytes, ...(end.offset >= place.offset && { checkpoint: toCheckpoint(end) }), last: 'ended' }
}
