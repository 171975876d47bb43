import type { Origin, SenderDetails } from './entry.ts'

/**
 * Entries between parser and index, and in the write-ahead log: columns in one buffer, which is transferred between threads without a copy.
 * Layout: magic, length of the head, head (JSON), padding to 8 bytes, then the columns in the order below.
 */
export type EntryBatch = {
  /** Epoch milliseconds at which the batch was received. */
  ingestTime: number
  origins: Origin[]
  count: number
  /** Details of the few entries that have any, by index of the entry. */
  sender: Map<number, SenderDetails>
  /** Epoch milliseconds, NaN where unknown. */
  times: Float64Array
  /** The sort keys among entries of the same time; `sequenceOf` derives the sequence. */
  sequences: Float64Array
  /** End offset of each text, which is the start of the next. */
  textEnds: Uint32Array
  repeats: Uint32Array
  originOf: Uint16Array
  flags: Uint8Array
  /** Range of the message in its text, in bytes; an end of 0 is the end of the text. */
  messageStarts: Uint16Array
  messageEnds: Uint16Array
  /** 16 bytes each: `keyOfEntryId`. */
  keys: Uint8Array
  /** UTF-8. */
  text: Uint8Array
}

/** Bits 0 and 1 of the flags are the severity code. */
export const severityMask = 3
export const severityIsKnown = 4
export const isTruncated = 8
export const isOutOfOrder = 16
/** The time is that of the previous entry of the file, which preserves the position; the entry has none of its own. */
export const timeIsBorrowed = 32

const magic = 0x32424554
/** Batches without message ranges, from write-ahead logs of older versions. */
const magicWithoutMessages = 0x31424554
const headStart = 8

type Head = {
  ingestTime: number
  origins: Origin[]
  count: number
  textLength: number
  sender: [number, SenderDetails][]
}

/** The buffer is not a batch, or has an unknown version. */
export class BatchUnreadable extends Error {
  override name = 'BatchUnreadable'
}
/** Compares names: errors from another thread have lost their class. */
export const isBatchUnreadable = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'BatchUnreadable'

const aligned = (offset: number) => (offset + 7) & ~7
const bytesPerEntry = 8 + 8 + 4 + 4 + 2 + 2 + 2 + 1 + 16

export const encodeBatch = (batch: EntryBatch): ArrayBuffer => {
  const { count, text } = batch
  const head: Head = {
    ingestTime: batch.ingestTime,
    origins: batch.origins,
    count,
    textLength: text.length,
    sender: [...batch.sender],
  }
  const headBytes = new TextEncoder().encode(JSON.stringify(head))
  const columnsStart = aligned(headStart + headBytes.length)
  const buffer = new ArrayBuffer(columnsStart + count * bytesPerEntry + text.length)
  new Uint32Array(buffer, 0, 2).set([magic, headBytes.length])
  new Uint8Array(buffer).set(headBytes, headStart)
  const columns = columnsOf(buffer, columnsStart, head)
  columns.times.set(batch.times.subarray(0, count))
  columns.sequences.set(batch.sequences.subarray(0, count))
  columns.textEnds.set(batch.textEnds.subarray(0, count))
  columns.repeats.set(batch.repeats.subarray(0, count))
  columns.originOf.set(batch.originOf.subarray(0, count))
  columns.messageStarts.set(batch.messageStarts.subarray(0, count))
  columns.messageEnds.set(batch.messageEnds.subarray(0, count))
  columns.flags.set(batch.flags.subarray(0, count))
  columns.keys.set(batch.keys.subarray(0, count * 16))
  columns.text.set(text)
  return buffer
}

const columnsOf = (buffer: ArrayBuffer, start: number, { count, textLength }: Head, hasMessages = true) => {
  let offset = start
  const next = (bytes: number) => {
    const at = offset
    offset += bytes
    return at
  }
  return {
    times: new Float64Array(buffer, next(count * 8), count),
    sequences: new Float64Array(buffer, next(count * 8), count),
    textEnds: new Uint32Array(buffer, next(count * 4), count),
    repeats: new Uint32Array(buffer, next(count * 4), count),
    originOf: new Uint16Array(buffer, next(count * 2), count),
    messageStarts: hasMessages ? new Uint16Array(buffer, next(count * 2), count) : new Uint16Array(count),
    messageEnds: hasMessages ? new Uint16Array(buffer, next(count * 2), count) : new Uint16Array(count),
    flags: new Uint8Array(buffer, next(count), count),
    keys: new Uint8Array(buffer, next(count * 16), count * 16),
    text: new Uint8Array(buffer, next(textLength), textLength),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTextOrNone = (value: unknown): boolean => value === null || value === undefined || typeof value === 'string'
/** Within the range of Date. */
const isMoment = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15

const isOrigin = (value: unknown): value is Origin =>
  isObject(value) &&
  typeof value.sourceId === 'string' &&
  typeof value.format === 'string' &&
  isTextOrNone(value.branch) &&
  isTextOrNone(value.tenantId)

const isSender = (value: unknown): value is [number, SenderDetails] => {
  if (!Array.isArray(value)) return false
  const [entry, details] = value
  return (
    isSize(entry) &&
    isObject(details) &&
    (details.entryId === undefined || typeof details.entryId === 'string') &&
    (details.timestampRaw === undefined || typeof details.timestampRaw === 'string') &&
    (details.fields === undefined || isObject(details.fields))
  )
}

const isHead = (value: unknown): value is Head =>
  isObject(value) &&
  isMoment(value.ingestTime) &&
  isSize(value.count) &&
  isSize(value.textLength) &&
  Array.isArray(value.origins) &&
  value.origins.every(isOrigin) &&
  Array.isArray(value.sender) &&
  value.sender.every(isSender)

const readHead = (bytes: Uint8Array): Head => {
  let head: unknown
  try {
    head = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new BatchUnreadable('The head of a batch of entries is damaged.', { cause })
  }
  if (!isHead(head)) throw new BatchUnreadable('The head of a batch of entries is damaged.')
  return head
}

/** Whether all references of the columns are valid: texts in the buffer, origins in the head, times in the range of Date. */
const isConsistent = ({ count, origins, originOf, textEnds, text, times }: EntryBatch): boolean => {
  let end = 0
  for (let entry = 0; entry < count; entry++) {
    const next = textEnds[entry] ?? 0
    const time = times[entry] ?? 0
    if (next < end || next > text.length || (originOf[entry] ?? 0) >= origins.length) return false
    if (!Number.isNaN(time) && !isMoment(time)) return false
    end = next
  }
  return true
}

/** Returns views of the buffer, without copying. Throws BatchUnreadable, and nothing else, for invalid bytes. */
export const decodeBatch = (buffer: ArrayBuffer): EntryBatch => {
  const [found, headLength] = buffer.byteLength < headStart ? [] : new Uint32Array(buffer, 0, 2)
  if (
    (found !== magic && found !== magicWithoutMessages) ||
    headLength === undefined ||
    headStart + headLength > buffer.byteLength
  ) {
    throw new BatchUnreadable('This is not a batch of entries.')
  }
  const head = readHead(new Uint8Array(buffer, headStart, headLength))
  const hasMessages = found === magic
  const columnsStart = aligned(headStart + headLength)
  const entryBytes = hasMessages ? bytesPerEntry : bytesPerEntry - 4
  if (columnsStart + head.count * entryBytes + head.textLength > buffer.byteLength)
    throw new BatchUnreadable('A batch of entries is shorter than its head requires.')
  const batch: EntryBatch = {
    ingestTime: head.ingestTime,
    origins: head.origins,
    count: head.count,
    sender: new Map(head.sender),
    ...columnsOf(buffer, columnsStart, head, hasMessages),
  }
  if (!isConsistent(batch)) throw new BatchUnreadable('The columns of a batch of entries are damaged.')
  return batch
}
