import { maxTextBytes } from '../../formats/clean.ts'
import type { LogPart } from './engine.ts'

/**
 * A line of a container: when its first part was written, to the nanosecond, and the how manieth it is of those that have that time. Reading goes
 * on by when its last part was: who asks for what is from then on gets that part again, as a line by itself, but none before it.
 */
export type ContainerLine = {
  stamp: Stamp
  nth: number
  end: Place
  stream: 'stdout' | 'stderr'
  text: string
  /** All that was written before it has been given, so that reading may go on behind it. */
  isPlace: boolean
}

/** Whole seconds of the epoch, and nanoseconds. */
export type Stamp = { seconds: number; nanoseconds: number }

/** A time, and how many lines had ended with a part of that time. */
export type Place = Stamp & { nth: number }

/** RFC 3339, as the engines write it before each part of a line. podman writes whole seconds. */
const stampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /
const maxStampBytes = 40
/** Docker writes longer lines in parts of so many bytes. */
const partBytes = 16_384
/** The time before a part of a line as the engines' own programs write it, to the nanosecond. */
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

/** Parts of a line are read this soon after one another; what is later may be a deadline that the line speaks of. */
const maxBetweenParts = 1e9

/**
 * A line without the times of its parts, which podman begins wherever it had read so far. What a program writes of now is from before its line was
 * read: a time to the nanosecond that is a little later than that is not of the program's.
 */
const withoutPartTimes = (bytes: Buffer, first: Stamp): { pieces: Buffer[]; last: Stamp } => {
  const kept: Buffer[] = []
  let start = 0
  let last = first
  for (const { index } of bytes.toString('latin1').matchAll(partPattern)) {
    const read = readStamp(bytes.subarray(index))
    const after = read ? nanosecondsBetween(last, read.stamp) : 0
    if (!read || after <= 0 || after > maxBetweenParts) continue
    kept.push(bytes.subarray(start, index))
    start = index + read.length
    last = read.stamp
  }
  return { pieces: [...kept, bytes.subarray(start)], last }
}

/** Counts what has the same time as what came just before it. */
const createCount = () => {
  let last: Stamp = { seconds: -1, nanoseconds: 0 }
  let nth = 0
  return {
    last: () => last,
    next: (stamp: Stamp): number => {
      nth = stamp.seconds === last.seconds && stamp.nanoseconds === last.nanoseconds ? nth + 1 : 1
      last = stamp
      return nth
    },
  }
}

type OpenLine = { stamp: Stamp; nth: number; last: Stamp; parts: Buffer[]; size: number }

/**
 * Makes lines of what an engine gives: parts of a line come together again, and the times that stand before each part go. What has no time
 * before it continues the line before.
 */
export async function* readContainerLines(parts: AsyncIterable<LogPart>): AsyncGenerator<ContainerLine> {
  const open = new Map<'stdout' | 'stderr', OpenLine>()
  const begun = createCount()
  const ended = createCount()
  let rest: Buffer = Buffer.alloc(0)

  const begin = (stream: 'stdout' | 'stderr', stamp: Stamp): OpenLine => {
    const line: OpenLine = { stamp, nth: begun.next(stamp), last: stamp, parts: [], size: 0 }
    open.set(stream, line)
    return line
  }
  const keep = (line: OpenLine, bytes: Buffer) => {
    const kept = bytes.subarray(0, Math.max(0, maxTextBytes - line.size))
    if (kept.length > 0) line.parts.push(kept)
    line.size += kept.length
  }
  const finish = (stream: 'stdout' | 'stderr', line: OpenLine): ContainerLine => {
    open.delete(stream)
    const text = Buffer.concat(line.parts).toString('utf8').replace(/\r+$/, '')
    const { stamp, nth, last } = line
    return { stamp, nth, end: { ...last, nth: ended.next(last) }, stream, text, isPlace: open.size === 0 }
  }
  /** A part of a line, with its line end if it is the last. */
  const take = (stream: 'stdout' | 'stderr', bytes: Buffer): ContainerLine | undefined => {
    const read = readStamp(bytes)
    const known = open.get(stream)
    if (!read && !known) return undefined
    const line = known ?? begin(stream, read?.stamp ?? begun.last())
    if (read) line.last = read.stamp
    const isEnd = bytes.at(-1) === 10
    keep(line, bytes.subarray(read?.length ?? 0, isEnd ? bytes.length - 1 : bytes.length))
    return isEnd ? finish(stream, line) : undefined
  }
  /** A whole line of a terminal, in which the times of its parts still stand. */
  const takeWhole = (bytes: Buffer): ContainerLine | undefined => {
    const read = readStamp(bytes)
    if (!read) return undefined
    const line = begin('stdout', read.stamp)
    let text = bytes.subarray(read.length)
    for (let inner = readStamp(text.subarray(partBytes)); inner; inner = readStamp(text.subarray(partBytes))) {
      keep(line, text.subarray(0, partBytes))
      text = text.subarray(partBytes + inner.length)
      line.last = inner.stamp
    }
    const { pieces, last } = withoutPartTimes(text, line.last)
    for (const piece of pieces) keep(line, piece)
    line.last = last
    return finish('stdout', line)
  }
  for await (const part of parts) {
    if (part.kind === 'frame') {
      const line = take(part.stream, part.bytes)
      if (line) yield line
      continue
    }
    rest = rest.length === 0 ? part.bytes : Buffer.concat([rest, part.bytes])
    let start = 0
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      const line = takeWhole(rest.subarray(start, end))
      start = end + 1
      if (line) yield line
    }
    // A line without an end is kept up to twice of what is kept of any.
    rest = rest.subarray(start, start + 2 * maxTextBytes)
  }
}
