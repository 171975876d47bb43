import type { Origin, SenderDetails } from './entry.ts'
import { encodeBatch, isOutOfOrder, isTruncated, severityIsKnown, timeIsBorrowed } from './entry-batch.ts'
import { orderOf } from './entry-order.ts'
import { keyOfEntryId, writeEntryKey } from './identity.ts'
import { isoOf } from './iso-time.ts'

/** A parsed entry that is not stored yet. `severity` is a code, or undefined if the input names none; then it is derived from the text. */
export type NewEntry = {
  origin: Origin
  sequence: number
  /** The sort key among entries of the same time, if it is not the sequence; see `orderOf`. */
  order?: number
  /** Epoch milliseconds, NaN where unknown. */
  time: number
  /** The time is that of a neighbour, which preserves the position of the entry; it is not part of the entry. */
  timeIsBorrowed?: boolean
  severity: number | undefined
  repeatCount: number
  text: string
  truncated: boolean
  outOfOrder: boolean
  /** Range of the message in the text, in UTF-16 units; by default the whole first line. */
  messageStart?: number
  messageEnd?: number
  sender?: SenderDetails
}

export type BatchBuilder = {
  readonly count: number
  /** Bytes of text so far. */
  readonly size: number
  add: (entry: NewEntry) => void
  /** Returns the batch as one buffer and resets the builder. */
  finish: (ingestTime: number) => ArrayBuffer
}

const newColumns = (capacity: number) => ({
  times: new Float64Array(capacity),
  sequences: new Float64Array(capacity),
  textEnds: new Uint32Array(capacity),
  repeats: new Uint32Array(capacity),
  originOf: new Uint16Array(capacity),
  flags: new Uint8Array(capacity),
  messageStarts: new Uint16Array(capacity),
  messageEnds: new Uint16Array(capacity),
  keys: new Uint8Array(capacity * 16),
})

const maxMessageOffset = 65_535

const bytesUpTo = (text: string, offset: number, isAscii: boolean): number =>
  isAscii ? offset : Buffer.byteLength(text.slice(0, offset))

/** Collects entries into a batch of at most `capacity` entries. */
export const createBatchBuilder = (capacity: number, textCapacity: number): BatchBuilder => {
  const columns = newColumns(capacity)
  const keys = Buffer.from(columns.keys.buffer)
  let text = Buffer.allocUnsafe(textCapacity)
  let size = 0
  let count = 0
  let origins: Origin[] = []
  let sender = new Map<number, SenderDetails>()
  const indexOf = (origin: Origin): number => {
    const known = origins.lastIndexOf(origin)
    return known >= 0 ? known : origins.push(origin) - 1
  }
  /** Writes the range of the message in bytes. A message that starts beyond the maximum offset is stored as the whole text. */
  const writeMessageRange = (index: number, entry: NewEntry, bytes: number) => {
    const { text: value, messageStart = 0, messageEnd = Number.POSITIVE_INFINITY } = entry
    const isAscii = bytes === value.length
    const start = messageStart === 0 ? 0 : bytesUpTo(value, messageStart, isAscii)
    const isNear = start < maxMessageOffset
    columns.messageStarts[index] = isNear ? start : 0
    columns.messageEnds[index] =
      isNear && messageEnd < value.length ? Math.min(maxMessageOffset, bytesUpTo(value, messageEnd, isAscii)) : 0
  }
  const write = (value: string) => {
    const max = value.length * 3
    if (size + max > text.length) {
      const larger = Buffer.allocUnsafe(Math.max(text.length * 2, size + max))
      text.copy(larger, 0, 0, size)
      text = larger
    }
    size += text.write(value, size)
  }

  return {
    get count() {
      return count
    },
    get size() {
      return size
    },
    add(entry) {
      const index = count++
      const begin = size
      write(entry.text)
      columns.textEnds[index] = size
      writeMessageRange(index, entry, size - begin)
      columns.times[index] = entry.time
      columns.sequences[index] = orderOf(entry)
      columns.repeats[index] = entry.repeatCount
      columns.originOf[index] = indexOf(entry.origin)
      columns.flags[index] =
        (entry.severity === undefined ? 0 : entry.severity | severityIsKnown) |
        (entry.truncated ? isTruncated : 0) |
        (entry.outOfOrder ? isOutOfOrder : 0) |
        (entry.timeIsBorrowed === true ? timeIsBorrowed : 0)
      if (entry.sender?.entryId !== undefined) keys.write(keyOfEntryId(entry.sender.entryId), index * 16, 'hex')
      else {
        writeEntryKey(keys, index * 16, {
          sourceId: entry.origin.sourceId,
          sequence: entry.sequence,
          timestampIso: entry.timeIsBorrowed === true || Number.isNaN(entry.time) ? null : isoOf(entry.time),
          text: entry.text,
        })
      }
      if (entry.sender) sender.set(index, entry.sender)
    },
    finish(ingestTime) {
      const batch = encodeBatch({ ingestTime, origins, count, sender, ...columns, text: text.subarray(0, size) })
      count = 0
      size = 0
      origins = []
      sender = new Map()
      return batch
    },
  }
}
