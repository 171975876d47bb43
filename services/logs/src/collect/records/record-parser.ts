import type { NewEntry } from '../../entries/batch-builder.ts'
import type { Origin } from '../../entries/entry.ts'
import { plainFormat } from '../../formats/active-formats.ts'
import { cleanLine, maxTextBytes } from '../../formats/clean.ts'
import { continuesEntry, type ReadLine } from '../../formats/continues-entry.ts'
import { announcesNextLine, createMixedReader, joinRuleOf } from '../../formats/detect.ts'
import { clearHeader, createHeader } from '../../formats/header.ts'
import { type JoinRule, maxJoinedLines, nextTraceState, type TraceState } from '../../formats/multiline.ts'
import { readObject } from '../../formats/read-object.ts'
import { guessSeverity } from '../../formats/severity-guess.ts'
import type { TimeContext } from '../../formats/time.ts'
import type { Checkpoint } from '../collector.ts'
import type { CollectedRecord } from './record.ts'

export type RecordParserOptions = {
  /** The owner of the entries; the records contain the sources. */
  owner: Pick<Origin, 'branch' | 'tenantId'>
  /** For times in texts. They only help to detect formats; the entries have the times of the records. */
  time: TimeContext
  /** `records` is the number of records of the entry. */
  onEntry: (entry: NewEntry, records: number) => void
  /** The format of texts that no format matches. */
  unknownFormat?: string
  /** Skips detection. */
  format?: string | undefined
  /** Overrides the rule of the format. */
  joins?: JoinRule | undefined
}

/**
 * Converts records to entries, and joins the lines of a trace. Pure: equal records result in equal entries. Entries are emitted in the order in
 * which they began, when no record that follows can be part of them.
 */
export type RecordParser = {
  /** `before` is the position before the record, if it is known. */
  push: (record: CollectedRecord, before?: Checkpoint | undefined) => void
  /**
   * Emits the entries before the first that may get more lines; at `time`, or at that of the last record, an entry gets no more if it got none
   * for a second. No record of an emitted entry comes after the position of `earliest`.
   */
  settle: (time?: number) => void
  /** Emits all entries. */
  close: () => void
  /** The position before the first record that is in no emitted entry, from which reading may continue; undefined if all are. */
  readonly earliest: { before: Checkpoint | undefined } | undefined
}

/** The lines of one entry are written within this time. */
const joinMilliseconds = 1_000
const maxStreams = 256
/** Entries wait for an earlier one that may get more lines, up to this number and this length together. */
const maxWaiting = 16_384
const maxWaitingCharacters = 16 * 1024 * 1024
const maxOrigins = 1_024

type WaitingEntry = {
  record: CollectedRecord
  before: Checkpoint | undefined
  /** Whether it may get more lines. */
  isOpen: boolean
  /** The ordinals of its first and its last record. */
  first: number
  last: number
  lines: string[]
  /** The number of records that the lines came from; blank lines are not counted. */
  records: number
  bytes: number
  lastTime: number
  format: string
  severity: number | undefined
  repeatCount: number
  trace: TraceState
  blankLines: number
  awaitsMessage: boolean
}

/** The first line of a record, and the position before it. */
type Position = { first: string; before: Checkpoint | undefined }

/** Sets a value in a map with a maximum size, and returns the least recently set value if it is displaced. */
const setWithin = <Value>(map: Map<string, Value>, key: string, value: Value, max: number): Value | undefined => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return undefined
  const [oldest] = map
  if (!oldest) return undefined
  map.delete(oldest[0])
  return oldest[1]
}

/** Truncates UTF-8 between characters. */
const cutToLimit = (text: string): { text: string; truncated: boolean } => {
  if (text.length * 3 <= maxTextBytes) return { text, truncated: false }
  const bytes = Buffer.from(text)
  if (bytes.length <= maxTextBytes) return { text, truncated: false }
  return { text: bytes.subarray(0, maxTextBytes).toString('utf8').replace(/�$/, ''), truncated: true }
}

export const createRecordParser = ({
  owner,
  time,
  onEntry,
  unknownFormat = plainFormat,
  format: forcedFormat,
  joins,
}: RecordParserOptions): RecordParser => {
  const header = createHeader()
  const reader = createMixedReader(time, forcedFormat)
  const origins = new Map<string, Origin>()
  const open = new Map<string, WaitingEntry>()
  /** In the order in which they began. */
  let waiting: WaitingEntry[] = []
  let ordinal = 0
  let latest = Number.NEGATIVE_INFINITY

  const originOf = (sourceId: string, format: string): Origin => {
    const key = `${sourceId}\0${format}`
    const origin = origins.get(key) ?? { sourceId, ...owner, format }
    setWithin(origins, key, origin, maxOrigins)
    return origin
  }
  const readWholeObject = (entry: WaitingEntry) => {
    const name = entry.format === unknownFormat ? readObject(reader, entry.lines, header) : undefined
    if (name === undefined) return
    const { severity, repeatCount } = header
    Object.assign(entry, { format: name, severity, repeatCount })
  }
  const emit = (entry: WaitingEntry) => {
    readWholeObject(entry)
    const { record, lines, records, format, severity, repeatCount } = entry
    const { text, truncated } = cutToLimit(lines.join('\n'))
    const known = record.severity ?? severity
    const usesHint = known === undefined && record.hint !== undefined && guessSeverity(text) === 0
    onEntry(
      {
        origin: originOf(record.sourceId, format),
        sequence: record.sequence,
        time: record.time,
        severity: usesHint ? record.hint : known,
        repeatCount,
        text,
        truncated,
        outOfOrder: false,
        ...(record.fields && { sender: { fields: record.fields } }),
      },
      records,
    )
  }
  const continues = (record: CollectedRecord, read: ReadLine, entry: WaitingEntry): boolean => {
    if (record.sourceId !== entry.record.sourceId || record.time - entry.lastTime > joinMilliseconds) return false
    const lines = entry.lines.length + entry.blankLines
    if (lines > maxJoinedLines || (entry.bytes + read.line.length + entry.blankLines + 1) * 3 > maxTextBytes)
      return false
    const rule = joins ?? joinRuleOf(entry.format)
    return continuesEntry(read, entry, { rule, isConfigured: joins !== undefined, joinsFreely: true })
  }
  const join = (record: CollectedRecord, { line, name }: ReadLine, entry: WaitingEntry) => {
    for (; entry.blankLines > 0; entry.blankLines--) entry.lines.push('')
    entry.lines.push(line)
    entry.records++
    entry.last = ordinal
    entry.bytes += line.length + 1
    entry.lastTime = record.time
    entry.trace = nextTraceState(line, entry.trace)
    entry.awaitsMessage = false
    if (name !== undefined) entry.severity ??= header.severity
  }
  const closeEntry = (stream: string, entry: WaitingEntry) => {
    entry.isOpen = false
    if (open.get(stream) === entry) open.delete(stream)
  }
  const begin = (record: CollectedRecord, { line, name }: ReadLine, at: Position) => {
    const format = name ?? unknownFormat
    const entry: WaitingEntry = {
      record,
      before: at.before,
      isOpen: record.stream !== undefined,
      first: ordinal,
      last: ordinal,
      lines: [line],
      records: 1,
      bytes: line.length,
      lastTime: record.time,
      format,
      severity: header.severity,
      repeatCount: header.repeatCount,
      trace: nextTraceState(at.first, 'none'),
      blankLines: 0,
      awaitsMessage: announcesNextLine(format),
    }
    waiting.push(entry)
    if (record.stream === undefined) return
    const displaced = setWithin(open, record.stream, entry, maxStreams)
    if (displaced) displaced.isOpen = false
  }
  /** The number of entries before the first that is open, without those that have a record after the first of an entry that is not counted. */
  const countSettled = (): number => {
    let settled = 0
    let last = 0
    for (const [index, entry] of waiting.entries()) {
      if (entry.first > last) settled = index
      if (entry.isOpen) return settled
      last = Math.max(last, entry.last)
    }
    return waiting.length
  }
  const emitFirst = (entries: number) => {
    for (const entry of waiting.slice(0, entries)) emit(entry)
    waiting = waiting.slice(entries)
  }
  const close = () => {
    for (const [stream, entry] of open) closeEntry(stream, entry)
    emitFirst(waiting.length)
  }
  return {
    get earliest() {
      return waiting[0]
    },
    push: (record, position) => {
      const text = record.text.split('\n').map(cleanLine).join('\n').toWellFormed()
      const before = record.stream === undefined ? undefined : open.get(record.stream)
      if (text.trim() === '') {
        if (before) before.blankLines++
        return
      }
      ordinal++
      if (!Number.isNaN(record.time)) latest = record.time
      const first = text.split('\n', 1)[0] ?? ''
      clearHeader(header)
      const name = reader.read(first, header)
      if (name === undefined) clearHeader(header)
      const read = { line: text, name, hasTime: !Number.isNaN(header.time) }
      if (before && continues(record, read, before)) return join(record, read, before)
      if (before && record.stream !== undefined) closeEntry(record.stream, before)
      begin(record, read, { first, before: position })
    },
    settle: (time = latest) => {
      for (const [stream, entry] of open)
        if (!(Math.max(time, latest) - entry.lastTime <= joinMilliseconds)) closeEntry(stream, entry)
      emitFirst(countSettled())
      const characters = waiting.reduce((sum, entry) => sum + entry.bytes, 0)
      if (waiting.length > maxWaiting || characters > maxWaitingCharacters) close()
    },
    close,
  }
}
