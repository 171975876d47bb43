import type { Origin, SenderDetails } from './entry.ts'
import { encodeBatch, isOutOfOrder, isTruncated, severityIsKnown, timeIsBorrowed } from './entry-batch.ts'
import { orderOf } from './entry-order.ts'
import { keyOfEntryId, writeEntryKey } from './identity.ts'
import { isoOf } from './iso-time.ts'

/** An entry that has been read but not yet kept. `severity` is a code; undefined where nothing named one, then the text decides. */
export type NewEntry = {
  origin: Origin
  sequence: number
  /** What orders it among entries of its time where that is not the sequence; see `orderOf`. */
  order?: number
  /** Epoch milliseconds, NaN where unknown. */
  time: number
  /** The time is a neighbour's, to keep the entry in its place; it is no part of what the entry says. */
  timeIsBorrowed?: boolean
  severity: number | undefined
  repeatCount: number
  text: string
  truncated: boolean
  outOfOrder: boolean
  /** Where the message stands in the text, in UTF-16 units; all of its first line unless told. */
  messageStart?: number
  messageEnd?: number
  sender?: SenderDetails
}

export type BatchBuilder = {
  readonly count: number
  /** Bytes of text so far. */
  readonly size: number
  add: (entry: NewEntry) => void
  /** The batch as one buffer; the builder starts anew. */
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

const maxMessagePlace = 65_535

const bytesUpTo = (text: string, place: number, isAscii: boolean): number =>
  isAscii ? place : Buffer.byteLength(text.slice(0, place))

/** Collects entries into a batch. `capacity` is the most it takes before `finish`. */
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
  /** The message's place in bytes; one that begins too far into its line is not told apart from it. */
  const writeMessagePlace = (index: number, entry: NewEntry, bytes: number) => {
    const { text: value, messageStart = 0, messageEnd = Number.POSITIVE_INFINITY } = entry
    const isAscii = bytes === value.length
    const start = messageStart === 0 ? 0 : bytesUpTo(value, messageStart, isAscii)
    const isNear = start < maxMessagePlace
    columns.messageStarts[index] = isNear ? start : 0
    columns.messageEnds[index] =
      isNear && messageEnd < value.length ? Math.min(maxMessagePlace, bytesUpTo(value, messageEnd, isAscii)) : 0
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
      writeMessagePlace(index, entry, size - begin)
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
