import { createBatchBuilder } from '../entries/batch-builder.ts'
import type { Origin } from '../entries/entry.ts'
import { plainFormat } from './active-formats.ts'
import { cleanLine, maxTextBytes } from './clean.ts'
import { continuesEntry } from './continues-entry.ts'
import { announcesNextLine, createFileReader, endOf, joinRuleOf, streamOf } from './detect.ts'
import { clearHeader, createHeader } from './header.ts'
import { createLineParts, mayBePart } from './line-parts.ts'
import { createLineSplitter } from './line-splitter.ts'
import { continuesTrace, type JoinRule, maxJoinedLines, nextTraceState, type TraceState } from './multiline.ts'
import { readObject } from './read-object.ts'
import type { TimeContext } from './time.ts'

/** What has been made of a file so far. `lines` are those not blank; each is in an entry of its own, joined to one, or `rejected`. */
export type ParseCounts = {
  lines: number
  entries: number
  joined: number
  rejected: number
  formats: Record<string, number>
}

export type FileParserOptions = {
  source: Omit<Origin, 'format'>
  time: TimeContext
  /** Skips detection: a line that this format does not fit is of none. */
  format?: string | undefined
  /** The number of the first line; 1 unless told. */
  firstLine?: number | undefined
  /** First lines of the whole file, by which its format is told where what is pushed begins in the middle. */
  sample?: Uint8Array | undefined
  /** In place of the formats' own way. */
  joins?: JoinRule | undefined
  /** Epoch milliseconds for batches. */
  now: () => number
  onBatch: (batch: ArrayBuffer, entries: number) => void
}

/** Parses one file as its bytes come: lines, formats, joined lines, batches. Pure but for `now`; the same bytes give the same entries however they are cut. */
export type FileParser = {
  push: (chunk: Uint8Array) => void
  end: () => void
  /**
   * Gives out a batch of all entries that have ended; with `closes`, the last one has. Returns the number of the first line that is in no
   * entry yet: that of an entry that is still open, or of the line that comes next.
   */
  settle: (closes: boolean) => number
  readonly counts: ParseCounts
}

export const batchEntries = 4_096
export const batchTextBytes = 1024 * 1024
/** Formats are chosen by at most so many of the first lines, or so many characters of them. */
const sampleLines = 64
const sampleCharacters = 64 * 1024

/** The lines of a trace that a container's runtime wraps one by one are written at once. */
const joinMilliseconds = 1_000

/** A line that waits until the format is chosen. */
type SampleLine = { text: string; isCut: boolean }

type OpenEntry = {
  text: string
  extra: string[]
  bytes: number
  sequence: number
  time: number
  severity: number | undefined
  repeatCount: number
  format: string
  messageStart: number
  messageEnd: number
  isCut: boolean
  trace: TraceState
  blankLines: number
  awaitsMessage: boolean
  /** The text that the entry's last line contains; undefined once that line is joined. */
  awaitsEnd: string | undefined
  /** Where a container's runtime wrote it: the stream, and when its last line came. */
  stream: string | undefined
  lastTime: number
}

export const createFileParser = (options: FileParserOptions): FileParser => {
  const { source, time, format, now, onBatch } = options
  const splitter = createLineSplitter()
  const parts = createLineParts()
  const reader = createFileReader(time, format)
  const header = createHeader()
  const objectHeader = createHeader()
  const builder = createBatchBuilder(batchEntries, batchTextBytes + 256 * 1024)
  const counts: ParseCounts = { lines: 0, entries: 0, joined: 0, rejected: 0, formats: {} }
  const origins = new Map<string, Origin>()
  let sample: SampleLine[] | undefined = []
  let sampled = 0
  let joinsFreely = true
  let lineNumber = (options.firstLine ?? 1) - 1
  let lastTime = Number.NaN
  let open: OpenEntry | undefined

  const originOf = (name: string): Origin => {
    const known = origins.get(name)
    if (known) return known
    const origin = { ...source, format: name }
    origins.set(name, origin)
    return origin
  }
  const finishBatch = () => {
    const entries = builder.count
    if (entries > 0) onBatch(builder.finish(now()), entries)
  }
  const readWholeObject = (entry: OpenEntry) => {
    const name =
      entry.format === plainFormat ? readObject(reader, [entry.text, ...entry.extra], objectHeader) : undefined
    if (name === undefined) return
    const { time, severity, repeatCount, messageStart, messageEnd } = objectHeader
    Object.assign(entry, { format: name, time, severity, repeatCount, messageStart, messageEnd })
    const lines = 1 + entry.extra.filter((line) => line !== '').length
    count(plainFormat, -lines)
    count(name, lines)
  }
  const close = () => {
    if (!open) return
    readWholeObject(open)
    const hasTime = !Number.isNaN(open.time)
    builder.add({
      origin: originOf(open.format),
      sequence: open.sequence,
      time: hasTime ? open.time : lastTime,
      timeIsBorrowed: !hasTime,
      severity: open.severity,
      repeatCount: open.repeatCount,
      text: open.extra.length === 0 ? open.text : `${open.text}\n${open.extra.join('\n')}`,
      truncated: open.isCut,
      outOfOrder: hasTime && open.time < lastTime,
      messageStart: open.messageStart,
      messageEnd: open.messageEnd,
    })
    if (hasTime) lastTime = open.time
    counts.entries++
    open = undefined
    if (builder.count === batchEntries || builder.size >= batchTextBytes) finishBatch()
  }
  const begin = (line: string, sequence: number, isCut: boolean, name: string) => {
    close()
    open = {
      text: line,
      extra: [],
      bytes: line.length,
      sequence,
      time: header.time,
      severity: header.severity,
      repeatCount: header.repeatCount,
      format: name,
      messageStart: header.messageStart,
      messageEnd: header.messageEnd,
      isCut,
      trace: nextTraceState(header.wrapped ?? line, 'none'),
      blankLines: 0,
      awaitsMessage: announcesNextLine(name),
      awaitsEnd: endOf(name),
      stream: streamOf(name, line),
      lastTime: header.time,
    }
  }
  const hasRoom = (line: string, entry: OpenEntry): boolean =>
    entry.extra.length < maxJoinedLines && (entry.bytes + line.length + entry.blankLines + 1) * 3 <= maxTextBytes
  /** Whether a line wraps one that goes on with the trace in the entry, which came by the same stream. */
  const continuesWrapped = (line: string, name: string, entry: OpenEntry): boolean => {
    const { wrapped, isBare, time } = header
    if (wrapped === undefined || !isBare || entry.stream === undefined || options.joins === 'never') return false
    if (Math.abs(time - entry.lastTime) > joinMilliseconds || streamOf(name, line) !== entry.stream) return false
    return wrapped === '' ? entry.trace !== 'none' : continuesTrace(wrapped, entry.trace)
  }
  /** `name` is the format that knows the line, if one does. */
  const continues = (line: string, name: string | undefined, entry: OpenEntry): boolean => {
    if (!hasRoom(line, entry)) return false
    const isConfigured = options.joins !== undefined
    const rule = options.joins ?? joinRuleOf(entry.format)
    const read = { line, name, hasTime: !Number.isNaN(header.time) }
    if (continuesEntry(read, entry, { rule, isConfigured, joinsFreely })) return true
    return name !== undefined && name === entry.format && continuesWrapped(line, name, entry)
  }
  const join = (line: string, entry: OpenEntry) => {
    for (; entry.blankLines > 0; entry.blankLines--) entry.extra.push('')
    entry.extra.push(line)
    entry.bytes += line.length + 1
    entry.trace = nextTraceState(header.wrapped ?? line, entry.trace)
    entry.lastTime = header.time
    entry.awaitsMessage = false
    counts.joined++
  }
  const count = (name: string, lines: number) => {
    const counted = (counts.formats[name] ?? 0) + lines
    if (counted === 0) delete counts.formats[name]
    else counts.formats[name] = counted
  }
  /** Joins a line to an entry that ends at a text. The last line completes the header. */
  const joinUpToEnd = (line: string, entry: OpenEntry, end: string) => {
    clearHeader(header)
    join(line, entry)
    if (!line.includes(end)) return
    entry.awaitsEnd = undefined
    if (reader.read(`${entry.text} ${line}`, header) === undefined) return
    entry.time = header.time
    entry.severity = header.severity
  }
  /** `lines` is how many the line came in. */
  const place = (line: string, sequence: number, lines: number, isCut: boolean) => {
    if (open?.awaitsEnd !== undefined && !isCut && hasRoom(line, open)) {
      joinUpToEnd(line, open, open.awaitsEnd)
      count(open.format, lines)
      counts.joined += lines - 1
      return
    }
    clearHeader(header)
    const name = reader.read(line, header)
    if (open && !isCut && continues(line, name, open)) {
      if (name !== undefined) open.severity ??= header.severity
      if (name !== undefined && Number.isNaN(open.time)) open.time = header.time
      count(open.format, lines)
      join(line, open)
    } else if (name !== undefined) {
      begin(line, sequence, isCut, name)
      count(name, lines)
    } else {
      clearHeader(header)
      begin(line, sequence, isCut, plainFormat)
      count(plainFormat, lines)
    }
    counts.joined += lines - 1
  }
  const placeParts = () => {
    for (const { line, sequence, parts: lines } of parts.release()) place(line, sequence, lines, false)
  }
  const take = (text: string, isCut: boolean) => {
    lineNumber++
    const line = cleanLine(text)
    if (line.trim() === '') {
      if (open) open.blankLines++
      return
    }
    counts.lines++
    if (isCut || format === plainFormat || !mayBePart(line)) return place(line, lineNumber, 1, isCut)
    const whole = parts.take(line, lineNumber)
    if (whole) place(whole.line, whole.sequence, whole.parts, false)
  }
  const chooseBy = (texts: readonly string[], areRead: 'next' | 'before') => {
    joinsFreely = reader.chooseBy(texts.slice(0, sampleLines).map(cleanLine), areRead).joinsFreely
  }
  const choose = () => {
    if (!sample) return
    const lines = sample
    sample = undefined
    chooseBy(
      lines.map(({ text }) => text),
      'next',
    )
    for (const { text, isCut } of lines) take(text, isCut)
  }
  const takeOrSample = (text: string, isCut: boolean) => {
    if (!sample) return take(text, isCut)
    sample.push({ text, isCut })
    sampled += text.length
    if (sample.length >= sampleLines || sampled >= sampleCharacters) choose()
  }
  if (options.sample) {
    const first = createLineSplitter()
    const texts: string[] = []
    first.push(options.sample, (text) => texts.push(text))
    first.end((text) => texts.push(text))
    chooseBy(texts, 'before')
    sample = undefined
  }
  return {
    counts,
    push: (chunk) => splitter.push(chunk, takeOrSample),
    end: () => {
      splitter.end(takeOrSample)
      choose()
      placeParts()
      close()
      finishBatch()
    },
    settle: (closes) => {
      choose()
      if (closes) {
        placeParts()
        close()
      }
      finishBatch()
      return Math.min(open?.sequence ?? lineNumber + 1, ...parts.held().map(({ sequence }) => sequence))
    },
  }
}
