import { maxTextBytes } from '../../formats/clean.ts'
import type { LogPart } from './engine.ts'

/**
 * A line of a container: the time of its first part, to the nanosecond, and its ordinal among the lines with that time. Reading continues from
 * the time of its last part: a query from that time on returns that part again, as a line by itself, but no earlier part.
 */
export type ContainerLine = {
  stamp: Stamp
  nth: number
  end: LogPosition
  stream: 'stdout' | 'stderr'
  text: string
  /** Everything before it has been yielded, so that reading may continue after it. */
  isResumable: boolean
}

/** Whole seconds of the epoch, and nanoseconds. */
export type Stamp = { seconds: number; nanoseconds: number }

/**
 * A time, and the number of lines that had ended with a part of that time. `length`: the bytes of the last of them, which the end of its
 * program ended. The engine separates it from the next line by nothing but the time of that line.
 */
export type LogPosition = Stamp & { nth: number; length?: number }

/** RFC 3339, as the engines write it before each part of a line. podman writes whole seconds. */
const stampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /
const maxStampBytes = 40
/** Pieces of a line are joined when there are this many, since each takes memory besides its bytes. */
const maxPieces = 256
/** Docker splits longer lines into parts of this size. */
const partBytes = 16_384
/** The time before a part of a line as the engines' command-line programs write it, to the nanosecond. */
const partPattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) /g

const readStamp = (bytes: Buffer): { stamp: Stamp; length: number } | undefined => {
  const match = stampPattern.exec(bytes.toString('latin1', 0, maxStampBytes))
  if (!match) return undefined
  const [whole, time, fraction = '', zone] = match
  const milliseconds = Date.parse(`${time}${zone}`)
  if (Number.isNaN(milliseconds)) return undefined
  return {
    stamp: { seconds: milliseconds / 1_000, nanoseconds: Number(fraction.padEnd(9, '0')) },
    length: whole.length,
  }
}

const nanosecondsBetween = (from: Stamp, to: Stamp) =>
  (to.seconds - from.seconds) * 1e9 + to.nanoseconds - from.nanoseconds

/** The parts of a line are logged within this time, in nanoseconds; a later time may be a deadline in the text. */
const maxBetweenParts = 1e9

/**
 * Removes the times of parts from a line; podman begins a part wherever its read ended. A current time that a program writes is earlier than
 * the time at which its line was read: a time to the nanosecond that is slightly later is that of a part.
 */
const withoutPartTimes = (bytes: Buffer, first: Stamp): { pieces: Buffer[]; last: Stamp } => {
  const pieces: Buffer[] = []
  let start = 0
  let last = first
  for (const { index } of bytes.toString('latin1').matchAll(partPattern)) {
    const read = readStamp(bytes.subarray(index))
    const after = read ? nanosecondsBetween(last, read.stamp) : 0
    if (!read || after <= 0 || after > maxBetweenParts) continue
    pieces.push(bytes.subarray(start, index))
    start = index + read.length
    last = read.stamp
  }
  return { pieces: [...pieces, bytes.subarray(start)], last }
}

/** In linear time, unlike an expression: a program may write a million of them within a line. */
const withoutLineEnd = (text: string): string => {
  let end = text.length
  while (text[end - 1] === '\r') end -= 1
  return text.slice(0, end)
}

const isSame = (one: Stamp, other: Stamp): boolean =>
  one.seconds === other.seconds && one.nanoseconds === other.nanoseconds

/** Counts consecutive items with the same time. */
const createCount = () => {
  let last: Stamp = { seconds: -1, nanoseconds: 0 }
  let nth = 0
  const after = (stamp: Stamp): number => (isSame(stamp, last) ? nth + 1 : 1)
  return {
    last: () => last,
    after,
    next: (stamp: Stamp): number => {
      nth = after(stamp)
      last = stamp
      return nth
    },
  }
}

/** `position` is the one that the parts are read from, `hasEnded` whether the container ran no more when they were requested. */
type ContainerLinesOptions = { position?: LogPosition | undefined; hasEnded: boolean }

type OpenLine = { stamp: Stamp; nth: number; last: Stamp; parts: Buffer[]; size: number }

/**
 * Joins the parts of an engine's log into lines, and removes the time before each part. A part without a time continues the previous line.
 * What a program that has ended wrote after its last line end is a line, too.
 */
export async function* readContainerLines(
  parts: AsyncIterable<LogPart>,
  { position, hasEnded }: ContainerLinesOptions = { hasEnded: false },
): AsyncGenerator<ContainerLine> {
  const open = new Map<'stdout' | 'stderr', OpenLine>()
  const begun = createCount()
  const ended = createCount()
  /** The start of a line of a terminal. Its pieces are joined at the line end: joining at each piece would copy a long line again and again. */
  let waiting: Buffer[] = []
  let waitingBytes = 0

  const begin = (stream: 'stdout' | 'stderr', stamp: Stamp): OpenLine => {
    const line: OpenLine = { stamp, nth: begun.next(stamp), last: stamp, parts: [], size: 0 }
    open.set(stream, line)
    return line
  }
  const append = (line: OpenLine, bytes: Buffer) => {
    const part = bytes.subarray(0, Math.max(0, maxTextBytes - line.size))
    if (part.length > 0) line.parts.push(part)
    line.size += part.length
  }
  const finish = (stream: 'stdout' | 'stderr', line: OpenLine): ContainerLine => {
    open.delete(stream)
    const text = withoutLineEnd(Buffer.concat(line.parts).toString('utf8'))
    const { stamp, nth, last } = line
    return { stamp, nth, end: { ...last, nth: ended.next(last) }, stream, text, isResumable: open.size === 0 }
  }
  /** As `finish`, for a line that the end of its program ended. */
  const finishAt = (stream: 'stdout' | 'stderr', line: OpenLine, length: number): ContainerLine => {
    const finished = finish(stream, line)
    return { ...finished, end: { ...finished.end, length } }
  }
  /** Whether a line with this time and length is the one that the end of a program ended before the position. */
  const endsAtPosition = (last: Stamp, length: number): boolean =>
    position?.length === length && isSame(position, last) && ended.after(last) === position.nth
  /** Adds a part of a line; it ends in a line feed if it is the last. */
  const take = ({ stream, bytes, partsAreFull = false }: LogPart & { kind: 'frame' }): ContainerLine[] => {
    const read = readStamp(bytes)
    const before = open.get(stream)
    const closed = read && before && endsAtPosition(before.last, before.size) ? [finish(stream, before)] : []
    const known = open.get(stream)
    if (!read && !known) return closed
    const line = known ?? begin(stream, read?.stamp ?? begun.last())
    if (read) line.last = read.stamp
    const hasLineEnd = bytes.at(-1) === 10
    const text = bytes.subarray(read?.length ?? 0, hasLineEnd ? bytes.length - 1 : bytes.length)
    append(line, text)
    if (hasLineEnd) return [...closed, finish(stream, line)]
    return partsAreFull && text.length < partBytes ? [...closed, finishAt(stream, line, line.size)] : closed
  }
  /** Reads a whole line of a terminal, which still contains the times of its parts. */
  const takeWhole = (bytes: Buffer): ContainerLine | undefined => {
    const read = readStamp(bytes)
    if (!read) return undefined
    const line = begin('stdout', read.stamp)
    let text = bytes.subarray(read.length)
    for (let inner = readStamp(text.subarray(partBytes)); inner; inner = readStamp(text.subarray(partBytes))) {
      append(line, text.subarray(0, partBytes))
      text = text.subarray(partBytes + inner.length)
      line.last = inner.stamp
    }
    const { pieces, last } = withoutPartTimes(text, line.last)
    for (const piece of pieces) append(line, piece)
    line.last = last
    return finish('stdout', line)
  }
  /** What a terminal wrote up to a line feed: a line, or two that the end of a program separates. */
  const linesIn = (bytes: Buffer): Buffer[] => {
    const length = position?.length ?? bytes.length
    const read = readStamp(bytes)
    const areTwo = read && endsAtPosition(read.stamp, length) && readStamp(bytes.subarray(length)) !== undefined
    return areTwo ? [bytes.subarray(0, length), bytes.subarray(length)] : [bytes]
  }
  /** A line without an end is buffered up to twice the maximum length that is stored. */
  const wait = (bytes: Buffer) => {
    const part = bytes.subarray(0, Math.max(0, 2 * maxTextBytes - waitingBytes))
    if (part.length > 0) waiting.push(part)
    if (waiting.length >= maxPieces) waiting = [Buffer.concat(waiting)]
    waitingBytes += part.length
  }
  for await (const part of parts) {
    if (part.kind === 'frame') {
      yield* take(part)
      continue
    }
    if (!part.bytes.includes(10)) {
      wait(part.bytes)
      continue
    }
    const rest = waitingBytes === 0 ? part.bytes : Buffer.concat([...waiting, part.bytes])
    waiting = []
    waitingBytes = 0
    let start = 0
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      for (const bytes of linesIn(rest.subarray(start, end))) {
        const line = takeWhole(bytes)
        if (line) yield line
      }
      start = end + 1
    }
    wait(rest.subarray(start))
  }
  if (!hasEnded) return
  for (const [stream, line] of open) yield finishAt(stream, line, line.size)
  for (const bytes of linesIn(Buffer.concat(waiting))) {
    const line = takeWhole(bytes)
    // Reading continues from the last of several parts, of which the length is not known here.
    if (line && isSame(line.stamp, line.end)) yield { ...line, end: { ...line.end, length: bytes.length } }
  }
}
