import { invalidField, serviceError } from '@trellis/kit/errors'
import { createAnonymizer } from '../anonymize/anonymize-entry.ts'
import { createPseudonyms } from '../anonymize/pseudonyms.ts'
import { createBatchBuilder, type NewEntry } from '../entries/batch-builder.ts'
import type { Origin, SenderDetails } from '../entries/entry.ts'
import { orderInBatch } from '../entries/entry-order.ts'
import { isTooNested, maxNesting } from '../entries/nesting.ts'
import { checkSourceId, entryIdProblem, sourceIdProblem } from '../entries/usable-id.ts'
import { plainFormat } from '../formats/active-formats.ts'
import { cleanLine, maxTextBytes } from '../formats/clean.ts'
import { createMixedReader } from '../formats/detect.ts'
import { createHeader } from '../formats/header.ts'
import { severityOfLevel } from '../formats/levels.ts'
import { createTimeReader, readEpoch } from '../formats/time.ts'
import { utc } from '../formats/zone.ts'
import { parsedExactly } from '../parsed-json.ts'

/** Options for reading a pushed body. They are sent to another thread, so they are plain data. */
export type PushedOptions = {
  /** The source of entries that do not name one, if the body does not either. */
  sourceId?: string | undefined
  /** Epoch milliseconds at which the body was received. */
  arrived: number
  /** The branch and tenant that own the entries; none by default. */
  owner?: Pick<Origin, 'branch' | 'tenantId'> | undefined
  /** With a key, personal names in entries are replaced by pseudonyms derived from it before the entries are stored. */
  pseudonymKey?: Uint8Array | undefined
}

/** A rejected entry, by its index in the body. */
export type Rejected = { index: number; reason: string }

const maxEntries = 50_000
const entriesPerBatch = 4_096
const maxSequence = 2 ** 52
const maxRepeats = 2 ** 32 - 1

/** Some editors and shells write a byte order mark at the beginning of a text. */
const byteOrderMark = '\ufeff'
const withoutMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)

type JsonObject = Record<string, unknown>
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values in the body: `{source_id, entries}`, a list, or one JSON value per line. A line that is not JSON becomes undefined. */
const listOf = (body: string): { sourceId: unknown; entries: unknown[] } => {
  const whole = parsedExactly(body)
  if (isObject(whole) && 'entries' in whole) {
    if (!Array.isArray(whole.entries)) throw invalidField(['body', 'entries'], 'entries must be a list.')
    return { sourceId: whole.source_id, entries: whole.entries }
  }
  if (Array.isArray(whole)) return { sourceId: undefined, entries: whole }
  if (isObject(whole) && !('text' in whole))
    throw invalidField(['body', 'entries'], 'entries is missing: send {"source_id": ..., "entries": [...]}.', 'missing')
  if (whole !== undefined && !isObject(whole))
    throw invalidField(
      ['body'],
      'The body must be {"source_id": ..., "entries": [...]}, a list of entries or one JSON object per line.',
    )
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map(parsedExactly)
  if (entries.length === 0 || entries[0] === undefined)
    throw serviceError(
      'malformed',
      'The body is neither {"source_id": ..., "entries": [...]} nor one JSON object per line.',
    )
  return { sourceId: undefined, entries }
}

/** Why a value is not a valid text, or that it is missing. */
const textProblem = (value: unknown): string => {
  if (value === undefined || value === null || typeof value === 'string') return 'text is missing.'
  const kind = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
  return `text must be a text, but is ${kind}.`
}

const isRepeatCount = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxRepeats)

/** An epoch written as a number. */
const epoch = /^-?\d{9,19}(?:\.\d{1,9})?$/

type Read = { entry: NewEntry } | { reason: string }

const countUp = (counts: Map<string, number>, key: string): number => {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

/** Removes colours and carriage returns from each line and replaces unpaired surrogates. */
const cleanText = (text: string): string =>
  (text.includes('\n') ? text.split('\n').map(cleanLine).join('\n') : cleanLine(text)).toWellFormed()

/** Truncates a text to the maximum that is stored, between characters. */
const cutText = (text: string): string => {
  // One UTF-16 code unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= maxTextBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= maxTextBytes) return text
  return bytes
    .subarray(0, maxTextBytes)
    .toString('utf8')
    .replace(/\ufffd$/, '')
}

/** Reads entries as their senders wrote them. Origins are shared and occurrences counted within one batch. */
const createEntryReader = (
  { sourceId: defaultSource, arrived: reference, owner = { branch: null, tenantId: null } }: PushedOptions,
  areNumbered: boolean,
) => {
  const reader = createMixedReader({ zone: utc, reference })
  const readIso = createTimeReader('iso', { zone: utc, reference })
  const header = createHeader()
  const origins = new Map<string, Origin>()
  const occurrences = new Map<string, number>()

  const originOf = (sourceId: string, format: string): Origin => {
    const key = `${sourceId}\0${format}`
    const known = origins.get(key) ?? { sourceId, ...owner, format }
    origins.set(key, known)
    return known
  }
  const timeOf = (value: unknown): number => {
    if (typeof value === 'number') return readEpoch(String(value))
    if (typeof value !== 'string') return Number.NaN
    const time = readIso(value)
    return Number.isNaN(time) && epoch.test(value) ? readEpoch(value) : time
  }
  return (value: unknown, index: number): Read => {
    if (!isObject(value)) return { reason: 'The entry must be a JSON object.' }
    const { text, timestamp_iso: written, severity, sequence, entry_id: entryId, repeat_count: repeats, fields } = value
    const sourceId = value.source_id ?? defaultSource
    if (typeof text !== 'string' || text.trim() === '') return { reason: textProblem(text) }
    if (sourceId === undefined || sourceId === '') return { reason: 'source_id is missing.' }
    const unusable =
      sourceIdProblem(sourceId) ?? (entryId === undefined || entryId === null ? undefined : entryIdProblem(entryId))
    if (unusable !== undefined || typeof sourceId !== 'string') return { reason: unusable ?? 'source_id is missing.' }
    const level = typeof severity === 'string' ? severityOfLevel(severity.trim()) : undefined
    if (severity !== undefined && severity !== null && level === undefined)
      return { reason: 'severity must be CRITICAL, ERROR, WARN, another word for a level such as info, or null.' }
    const hasSequence = sequence !== undefined && sequence !== null
    if (hasSequence && !(Number.isInteger(sequence) && Number(sequence) >= 0 && Number(sequence) <= maxSequence))
      return { reason: 'sequence must be a whole number of at least 0.' }
    if (!isRepeatCount(repeats)) return { reason: 'repeat_count must be a whole number of at least 1.' }
    if (fields !== undefined && fields !== null && !isObject(fields)) return { reason: 'fields must be an object.' }
    if (isTooNested(fields)) return { reason: `fields must have at most ${maxNesting} levels of lists and objects.` }
    const cleaned = cleanText(text)
    const stored = cutText(cleaned)
    const lineEnd = stored.indexOf('\n')
    const format = reader.read(lineEnd < 0 ? stored : stored.slice(0, lineEnd), header) ?? plainFormat
    const sentTime = timeOf(written)
    const isUnread = written !== undefined && written !== null && Number.isNaN(sentTime)
    const time = Number.isNaN(sentTime) && format !== plainFormat && !isUnread ? header.time : sentTime
    // If all entries have sequence numbers, equal entries need no occurrence number.
    const nth = areNumbered ? 0 : countUp(occurrences, `${sourceId}\0${time}\0${stored}`)
    const sender: SenderDetails = {
      ...(typeof entryId === 'string' && { entryId }),
      ...(isObject(fields) && { fields }),
      ...(isUnread && { timestampRaw: String(written) }),
    }
    return {
      entry: {
        origin: originOf(sourceId, format),
        ...(hasSequence ? { sequence: Number(sequence) } : { sequence: nth, order: orderInBatch(index, nth) }),
        time,
        severity: level ?? (format === plainFormat ? undefined : header.severity),
        repeatCount: typeof repeats === 'number' ? repeats : format === plainFormat ? 1 : header.repeatCount,
        text: stored,
        truncated: stored !== cleaned,
        outOfOrder: false,
        ...(Object.keys(sender).length > 0 && { sender }),
      },
    }
  }
}

/** The change applied to each entry of one body. Pseudonyms are cached for this body only. */
const createChange = (key: Uint8Array | undefined): ((entry: NewEntry) => NewEntry) => {
  if (!key) return (entry) => entry
  const anonymize = createAnonymizer(createPseudonyms(key))
  return (entry) => anonymize(entry).entry
}

/**
 * Reads a pushed body, `{source_id, entries}` or one JSON object per line, and passes each full batch (see `encodeBatch`) to `onBatch`. Returns
 * the rejected entries. Throws `malformed`, `invalid` or `too_large` before the first batch if the body is not a batch or its source is unusable.
 */
export const readPushed = (body: Buffer, options: PushedOptions, onBatch: (batch: ArrayBuffer) => void): Rejected[] => {
  const { sourceId, entries } = listOf(withoutMark(body.toString('utf8')))
  if (entries.length > maxEntries)
    throw serviceError('too_large', `A batch may have ${maxEntries} entries. Send it in parts.`)
  const named = sourceId ?? options.sourceId
  const defaultSource = named === undefined || named === '' ? undefined : checkSourceId(named)
  const areNumbered = entries.every((entry) => isObject(entry) && typeof entry.sequence === 'number')
  const read = createEntryReader({ ...options, sourceId: defaultSource }, areNumbered)
  const change = createChange(options.pseudonymKey)
  const builder = createBatchBuilder(Math.min(entriesPerBatch, entries.length), Math.min(256 * 1024, body.length))
  const rejected: Rejected[] = []
  const finish = () => {
    if (builder.count > 0) onBatch(builder.finish(options.arrived))
  }
  for (const [index, value] of entries.entries()) {
    const result = read(value, index)
    if ('reason' in result) rejected.push({ index, reason: result.reason })
    else builder.add(change(result.entry))
    if (builder.count === entriesPerBatch) finish()
  }
  finish()
  return rejected
}
