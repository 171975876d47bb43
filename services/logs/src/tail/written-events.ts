import type { StoredEntry } from '../entries/entry.ts'
import { entryText } from './entry-text.ts'
import type { Followed } from './frames.ts'

/** The byte offsets of an event: up to `positionEnd` is the reader's position, after it comes the entry. */
export type EventSpan = { start: number; positionEnd: number; end: number }

/** Events of entries that arrived together, one after the other in the order of their first request. */
export type WrittenEvents = {
  /** The span of an entry's event, which is formatted on first use. */
  spanOf: (index: number) => EventSpan
  /** A view of the bytes of spans; bytes are written once and never change. */
  bytes: (start: number, end: number) => Uint8Array
}

const firstBytes = 16 * 1024
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const maxBytesPerUnit = 3

/** A buffer of bytes, because strings that are retained for the next reader, composed of many pieces each, keep the garbage collector busy. */
const createWrittenEvents = (entries: readonly StoredEntry[], positionOf: Followed['positionOf']): WrittenEvents => {
  const spans: (EventSpan | undefined)[] = []
  let bytes = Buffer.allocUnsafe(firstBytes)
  let used = 0
  const write = (text: string): number => {
    const needed = used + text.length * maxBytesPerUnit
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, bytes.length * 2))
      bytes.copy(larger, 0, 0, used)
      bytes = larger
    }
    used += bytes.write(text, used)
    return used
  }
  const writeEvent = (index: number): EventSpan => {
    const entry = entries[index]
    if (!entry) throw new RangeError(`There is no entry ${index} in this arrival.`)
    const start = used
    const positionEnd = write(`id: ${positionOf(index)}`)
    const end = write(`\nevent: entry\ndata: ${entryText(entry)}\n\n`)
    return { start, positionEnd, end }
  }
  return {
    spanOf: (index) => {
      spans[index] ??= writeEvent(index)
      return spans[index]
    },
    bytes: (start, end) => bytes.subarray(start, end),
  }
}

const known = new WeakMap<readonly StoredEntry[], { firstPosition: string; events: WrittenEvents }>()

/** The events of an arrival, formatted once for all followers: their positions are equal unless one of them began in another run. */
export const writtenEvents = ({ of, positionOf }: Pick<Followed, 'of' | 'positionOf'>): WrittenEvents => {
  const firstPosition = positionOf(0)
  const found = known.get(of)
  if (found?.firstPosition === firstPosition) return found.events
  const events = createWrittenEvents(of, positionOf)
  known.set(of, { firstPosition, events })
  return events
}
