import { setTimeout as sleep } from 'node:timers/promises'
import type { Chunk, Stream } from '../collector.ts'
import { countLineFeeds } from '../count-line-feeds.ts'
import { bytesAt, createExcerpts, excerptBytes } from './excerpts.ts'
import {
  type Excerpt,
  type FilePosition,
  type FileStamp,
  isSameFile,
  lineOf,
  modifiedMilliseconds,
  sequenceOf,
  toCheckpoint,
} from './file-position.ts'
import { createLineMarks } from './line-marks.ts'
import type { LogFile, OpenFile } from './log-file.ts'
import { createRecentLines } from './recent-lines.ts'
import { encodingBytes, encodingOf, type TextEncoding } from './text-encoding.ts'

export type PieceStream = Pick<Stream, 'sourceId' | 'format' | 'zone' | 'joins'>

export type ReadPieceOptions = {
  path: string
  open: OpenFile
  /** Where to begin. `stamp` identifies the file. */
  position: FilePosition & { stamp: FileStamp }
  /** Reads from the first byte, ignoring the position; no checkpoints before the position are yielded. */
  force: boolean
  stream: PieceStream
  now: () => number
  signal: AbortSignal
}

/** A file that has not changed for this time is considered idle: its last entry is complete. */
export const quietMilliseconds = 500
/** After this time without a change, a line without an end is read as a line. */
export const unfinishedLineMilliseconds = 5_000

/** Maximum bytes that a run reads past the size of a file when it was opened: a file may grow faster than it is read. */
export const maxAheadBytes = 64 * 1024 * 1024

const chunkBytes = 512 * 1024
/** The maximum size of a line without an end that is buffered; longer lines would be truncated anyway. */
export const maxWaitingBytes = 4 * 1024 * 1024
const nothing = new Uint8Array(0)

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

/** Waits until a file has not changed for a moment; false if it is still being written, or the signal aborts. */
const isIdle = async (file: LogFile, stamp: FileStamp, now: number, signal: AbortSignal): Promise<boolean> => {
  const age = now - modifiedMilliseconds(stamp)
  if (age >= quietMilliseconds) return true
  // The wait is bounded, because the clock of a file server may be ahead.
  const wait = Math.min(quietMilliseconds, quietMilliseconds - age)
  await sleep(wait, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) return false
  const later = await file.stamp()
  return later.size === stamp.size && later.modified === stamp.modified
}

/** Both are at the start of the same file. */
const longer = (a: Excerpt, b: Excerpt): Excerpt => (a.bytes > b.bytes ? a : b)

/** Whole lines: `bytes` as in the file, `text` as UTF-8, and where the first one begins. */
type Lines = { bytes: Uint8Array; text: Uint8Array<ArrayBuffer>; offset: number; line: number }

/** Reads a file up to its last line end; the rest waits. Lines and offsets are those of the file on disk. */
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
    /** How much of the file has been read, including the waiting bytes. */
    get offset() {
      return offset
    },
    /** The offset and number of the waiting line. */
    get position() {
      return { offset: lineStart, line }
    },
    get waits() {
      return waiting.length > 0
    },
    /** Whole lines; `more` if a line continues; `end` at the end of the file. */
    next: async (): Promise<Lines | 'more' | 'end'> => {
      const buffer = new Uint8Array(chunkBytes)
      const filled = await file.read(buffer, offset)
      if (filled === 0) return 'end'
      offset += filled
      const read = joined(waiting, buffer.subarray(0, filled))
      const lastEnd = encoding.lastLineEnd(read)
      // A hole is not a waiting line: only its end matters.
      const isTooLong = lastEnd === 0 && read.length >= maxWaitingBytes
      if (lastEnd === 0 && !isTooLong) {
        waiting = read
        return 'more'
      }
      const end = isTooLong ? read.length - (read.length % encoding.unitBytes) : lastEnd
      waiting = read.slice(end)
      return take(read.slice(0, end))
    },
    /** The waiting bytes as a line; half of a character remains waiting. */
    takeRest: (): Lines => {
      const rest = waiting.slice(0, waiting.length - (waiting.length % encoding.unitBytes))
      waiting = waiting.slice(rest.length)
      return take(rest)
    },
  }
}

/**
 * The content of a plain file from a position on, as chunks of whole lines. A last line without an end waits until the file has not changed for a
 * while. The last chunk is `ended` if the file has not changed meanwhile, else `paused`. Yields nothing if the path is another file now.
 */
export async function* readPiece(options: ReadPieceOptions): AsyncGenerator<Chunk> {
  const { path, position, force, now, signal } = options
  const { generation } = position
  await using file = await options.open(path)
  let stamp = await file.stamp()
  if (!isSameFile(stamp, position.stamp)) return
  const start = force ? { offset: 0, line: 1 } : { offset: position.offset, line: position.line }
  const beginning = await bytesAt(file, 0, encodingBytes)
  const encoding = encodingOf(beginning)
  const before =
    start.offset > 0
      ? await bytesAt(file, Math.max(0, start.offset - excerptBytes), Math.min(excerptBytes, start.offset))
      : nothing
  const reader = createLineReader(file, encoding, start)
  const marks = createLineMarks()
  const recent = createRecentLines(encoding, before)
  const positionAt = (at: { offset: number; line: number }, seen: FileStamp, tail: Excerpt): FilePosition => ({
    ...position,
    ...at,
    path,
    stamp: seen,
    head: longer(position.head, reader.excerpts.head()),
    tail,
  })
  /** A stamp that never matches, so that the file is inspected again. */
  const staleStamp: FileStamp = { ...position.stamp, changed: '' }
  const checkpointAt = async (sequence: number) => {
    const line = lineOf(generation, sequence)
    const mark = marks.before(line)
    if (!mark) return undefined
    // An entry that began too long ago is read again from the preceding mark.
    const at = mark.line === line ? mark : (recent.find(line) ?? mark)
    const { offset, tail } = at
    return offset < position.offset ? undefined : toCheckpoint(positionAt({ offset, line: at.line }, staleStamp, tail))
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
    // A file that was truncated since it was matched is another piece, and must not be read as this one.
    if (reader.excerpts.tail().digest !== position.tail.digest) return
  }
  const mark = () => marks.add({ ...reader.position, tail: reader.excerpts.tail() })
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
    const isStill = await isIdle(file, stamp, now(), signal)
    stamp = await file.stamp()
    const hasGrown = stamp.size > reader.offset
    if (!hasGrown && isStill) break
    // A file that is written continuously is left after one wait; the next round continues.
    if (hasWaited) return yield { stream, bytes: nothing, last: 'paused' }
    hasWaited = true
  }
  if (signal.aborted) return yield { stream, bytes: nothing, last: 'paused' }
  const isTaken = reader.waits && now() - modifiedMilliseconds(stamp) >= unfinishedLineMilliseconds
  const bytes = isTaken ? reader.takeRest().text : nothing
  // Truncated while it was read: the rest is in the copy that was made before, and the current file is another piece.
  const seen = stamp.size < reader.offset ? staleStamp : stamp
  const end = positionAt(reader.position, seen, reader.excerpts.tail())
  yield { stream, bytes, ...(end.offset >= position.offset && { checkpoint: toCheckpoint(end) }), last: 'ended' }
}
