import { setTimeout as sleep } from 'node:timers/promises'
import type { Chunk, Stream } from '../collector.ts'
import { countLineFeeds } from '../count-line-feeds.ts'
import { bytesAt, createExcerpts, excerptBytes } from './excerpts.ts'
import {
  type Excerpt,
  type FilePlace,
  type FileStamp,
  isSameFile,
  lineOf,
  modifiedMilliseconds,
  sequenceOf,
  toCheckpoint,
} from './file-place.ts'
import { createLineMarks } from './line-marks.ts'
import type { LogFile, OpenFile } from './log-file.ts'
import { createRecentLines } from './recent-lines.ts'
import { encodingBytes, encodingOf, type TextEncoding } from './text-encoding.ts'

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

/** Maximum bytes that a run reads past the size of a file when it was opened: a file may grow faster than it is read. */
export const maxAheadBytes = 64 * 1024 * 1024

const chunkBytes = 512 * 1024
/** The most of a line without an end that is kept waiting; more of it would be cut anyway. */
export const maxWaitingBytes = 4 * 1024 * 1024
const nothing = new Uint8Array(0)

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

/** Waits until a file has stood still for a moment; false where it is still being written to, or the signal aborts. */
const standsStill = async (file: LogFile, stamp: FileStamp, now: number, signal: AbortSignal): Promise<boolean> => {
  const age = now - modifiedMilliseconds(stamp)
  if (age >= quietMilliseconds) return true
  // A clock that is ahead (that of a server of files) is not waited for.
  const wait = Math.min(quietMilliseconds, quietMilliseconds - age)
  await sleep(wait, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) return false
  const later = await file.stamp()
  return later.size === stamp.size && later.modified === stamp.modified
}

/** Both are of the start of the same file. */
const longer = (a: Excerpt, b: Excerpt): Excerpt => (a.bytes > b.bytes ? a : b)

/** Whole lines: `bytes` as they lie in the file, `text` as UTF-8, and where the first begins. */
type Lines = { bytes: Uint8Array; text: Uint8Array<ArrayBuffer>; offset: number; line: number }

/** Reads a file line by line's end; what follows the last end waits. Lines and offsets are those of the file as it lies on disk. */
const createLineReader = (file: LogFile, encoding: TextEncoding, start: { offset: number; line: number }) => {
  let { offset, line } = start
  let lineStart = offset
  let waiting: Uint8Array<ArrayBuffer> = nothing
  const excerpts = createExcerpts()
  const take = (bytes: Uint8Array<ArrayBuffer>): Lines => {
    const taken = { offset: lineStart, line }
    excerpts.add(bytes)
    lineStart += bytes.length
    const text = encoding.toLines(bytes.slice())
    line += countLineFeeds(text)
    return { bytes, text, ...taken }
  }
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
    /** Whole lines; `more` where a line goes on; `end` at the end of the file. */
    next: async (): Promise<Lines | 'more' | 'end'> => {
      const buffer = new Uint8Array(chunkBytes)
      const filled = await file.read(buffer, offset)
      if (filled === 0) return 'end'
      offset += filled
      const read = joined(waiting, buffer.subarray(0, filled))
      const lastEnd = encoding.lastLineEnd(read)
      // A hole is no line that waits: only its end counts.
      const isTooLong = lastEnd === 0 && read.length >= maxWaitingBytes
      if (lastEnd === 0 && !isTooLong) {
        waiting = read
        return 'more'
      }
      const end = isTooLong ? read.length - (read.length % encoding.unitBytes) : lastEnd
      waiting = read.slice(end)
      return take(read.slice(0, end))
    },
    /** What waits, as if it were a line; half a character waits on. */
    takeRest: (): Lines => {
      const rest = waiting.slice(0, waiting.length - (waiting.length % encoding.unitBytes))
      waiting = waiting.slice(rest.length)
      return take(rest)
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
  let stamp = await file.stamp()
  if (!isSameFile(stamp, place.stamp)) return
  const start = force ? { offset: 0, line: 1 } : { offset: place.offset, line: place.line }
  const beginning = await bytesAt(file, 0, encodingBytes)
  const encoding = encodingOf(beginning)
  const before =
    start.offset > 0
      ? await bytesAt(file, Math.max(0, start.offset - excerptBytes), Math.min(excerptBytes, start.offset))
      : nothing
  const reader = createLineReader(file, encoding, start)
  const marks = createLineMarks()
  const recent = createRecentLines(encoding, before)
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
  const checkpointAt = async (sequence: number) => {
    const line = lineOf(generation, sequence)
    const mark = marks.before(line)
    if (!mark) return undefined
    // An entry that began too long ago is read again from the mark before it.
    const at = mark.line === line ? mark : (recent.find(line) ?? mark)
    const { offset, tail } = at
    return offset < place.offset ? undefined : toCheckpoint(placeAt({ offset, line: at.line }, unlooked, tail))
  }
  const stream: Stream = {
    ...options.stream,
    firstLine: sequenceOf(generation, start.line),
    reference: modifiedMilliseconds(stamp),
    sample:
      start.offset > 0
        ? encoding.toLines(beginning.slice(0, beginning.length - (beginning.length % encoding.unitBytes)))
        : undefined,
    checkpointAt,
  }
  if (start.offset > 0) {
    reader.excerpts.add(beginning.subarray(0, Math.min(excerptBytes, start.offset - before.length)))
    reader.excerpts.add(before)
    // Truncated since it was matched, it is another piece; what stands there now must not be told as what stood before the place.
    if (reader.excerpts.tail().digest !== place.tail.digest) return
  }
  const mark = () => marks.add({ ...reader.place, tail: reader.excerpts.tail() })
  mark()
  const enough = stamp.size + maxAheadBytes
  for (let hasWaited = false; !signal.aborted; ) {
    const read = await reader.next()
    if (read === 'more') continue
    if (read !== 'end') {
      recent.add(read)
      mark()
      yield { stream, bytes: read.text }
      if (reader.offset >= enough) return yield { stream, bytes: nothing, last: 'paused' }
      continue
    }
    const isStill = await standsStill(file, stamp, now(), signal)
    stamp = await file.stamp()
    const hasGrown = stamp.size > reader.offset
    if (!hasGrown && isStill) break
    // A writer that never rests is left after one wait; the next round comes.
    if (hasWaited) return yield { stream, bytes: nothing, last: 'paused' }
    hasWaited = true
  }
  if (signal.aborted) return yield { stream, bytes: nothing, last: 'paused' }
  const isTaken = reader.waits && now() - modifiedMilliseconds(stamp) >= standsMilliseconds
  const bytes = isTaken ? reader.takeRest().text : nothing
  // Truncated while it was read: the copy that is made before has the rest, and what the file is now is another piece.
  const seen = stamp.size < reader.offset ? unlooked : stamp
  const end = placeAt(reader.place, seen, reader.excerpts.tail())
  yield { stream, bytes, ...(end.offset >= place.offset && { checkpoint: toCheckpoint(end) }), last: 'ended' }
}
