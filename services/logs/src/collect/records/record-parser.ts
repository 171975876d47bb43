import type { NewEntry } from '../../entries/batch-builder.ts'
import type { Origin } from '../../entries/entry.ts'
import { plainFormat } from '../../formats/active-formats.ts'
import { cleanLine, maxTextBytes } from '../../formats/clean.ts'
import { announcesNextLine, createFileReader, joinRuleOf } from '../../formats/detect.ts'
import { clearHeader, createHeader } from '../../formats/header.ts'
import {
  beginsAnotherTrace,
  continuesTrace,
  maxJoinedLines,
  nextTraceState,
  type TraceState,
} from '../../formats/multiline.ts'
import { guessSeverity } from '../../formats/severity-guess.ts'
import type { TimeContext } from '../../formats/time.ts'
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
}

/** Converts records to entries, and joins the lines of a trace. Pure: equal records result in equal entries. */
export type RecordParser = {
  push: (record: CollectedRecord) => void
  /** Emits the entries that may get more lines. */
  close: () => void
  /** The number of entries that may get more lines; all entries before the first of them have been emitted. */
  readonly open: number
}

/** The lines of one entry are written within this time. */
const joinMilliseconds = 1_000
const maxStreams = 256
const maxOrigins = 1_024

type OpenEntry = {
  record: CollectedRecord
  lines: string[]
  bytes: number
  lastTime: number
  format: string
  severity: number | undefined
  trace: TraceState
  awaitsMessage: boolean
}

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
}: RecordParserOptions): RecordParser => {
  const header = createHeader()
  const reader = createFileReader(time)
  const origins = new Map<string, Origin>()
  const open = new Map<string, OpenEntry>()

  const originOf = (sourceId: string, format: string): Origin => {
    const key = `${sourceId}\0${format}`
    const origin = origins.get(key) ?? { sourceId, ...owner, format }
    setWithin(origins, key, origin, maxOrigins)
    return origin
  }
  const emit = ({ record, lines, format, severity }: OpenEntry) => {
    const { text, truncated } = cutToLimit(lines.join('\n'))
    const known = record.severity ?? severity
    const usesHint = known === undefined && record.hint !== undefined && guessSeverity(text) === 0
    const entry: NewEntry = {
      origin: originOf(record.sourceId, format),
      sequence: record.sequence,
      time: record.time,
      severity: usesHint ? record.hint : known,
      repeatCount: 1,
      text,
      truncated,
      outOfOrder: false,
      ...(record.fields && { sender: { fields: record.fields } }),
    }
    onEntry(entry, lines.length)
  }
  /** `name` is the format that matches the line, if one does. */
  const continues = (record: CollectedRecord, line: string, name: string | undefined, entry: OpenEntry): boolean => {
    if (record.sourceId !== entry.record.sourceId || record.time - entry.lastTime > joinMilliseconds) return false
    if (entry.lines.length > maxJoinedLines || (entry.bytes + line.length + 1) * 3 > maxTextBytes) return false
    if (entry.awaitsMessage) return name === undefined
    if (name !== undefined) return false
    if (beginsAnotherTrace(line, entry.trace)) return false
    return joinRuleOf(entry.format) === 'untilHeader' || continuesTrace(line, entry.trace)
  }
  const join = (record: CollectedRecord, line: string, entry: OpenEntry) => {
    entry.lines.push(line)
    entry.bytes += line.length + 1
    entry.lastTime = record.time
    entry.trace = nextTraceState(line, entry.trace)
    entry.awaitsMessage = false
  }
  return {
    get open() {
      return open.size
    },
    push: (record) => {
      const text = record.text.split('\n').map(cleanLine).join('\n').toWellFormed()
      if (text.trim() === '') return
      const first = text.split('\n', 1)[0] ?? ''
      clearHeader(header)
      const name = reader.read(first, header)
      if (name === undefined) clearHeader(header)
      const format = name ?? unknownFormat
      const entry: OpenEntry = {
        record,
        lines: [text],
        bytes: text.length,
        lastTime: record.time,
        format,
        severity: header.severity,
        trace: nextTraceState(first, 'none'),
        awaitsMessage: announcesNextLine(format),
      }
      if (record.stream === undefined) return emit(entry)
      const before = open.get(record.stream)
      if (before && continues(record, text, name, before)) return join(record, text, before)
      open.delete(record.stream)
      if (before) emit(before)
      const displaced = setWithin(open, record.stream, entry, maxStreams)
      if (displaced) emit(displaced)
    },
    close: () => {
      for (const entry of open.values()) emit(entry)
      open.clear()
    },
  }
}
