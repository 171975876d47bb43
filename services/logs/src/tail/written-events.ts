import type { StoredEntry } from '../entries/entry.ts'
import { entryText } from './entry-text.ts'
import type { Followed } from './frames.ts'

/** Where an event lies: up to the end of the place in its id it is the reader's, what follows is the entry's. */
export type EventSpan = { start: number; placeEnd: number; end: number }

/** Events of entries that came in together, one behind the other in the order in which they were first asked for. */
export type WrittenEvents = {
  /** Writes the event of an entry, unless another reader had it before. */
  spanOf: (index: number) => EventSpan
  /** A view of what spans tell of; what is written is never written over. */
  bytes: (start: number, end: number) => Uint8Array
}

const firstBytes = 16 * 1024
/** A UTF-16 unit takes no more in UTF-8. */
const maxBytesPerUnit = 3

/** As bytes: strings that wait for the next reader, made of many pieces each, are what keeps the garbage collector busy. */
const createWrittenEvents = (entries: readonly StoredEntry[], placeOf: Followed['placeOf']): WrittenEvents => {
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
    if (!entry) throw new RangeError(`There is no entry ${index} among those that came in.`)
    const start = used
    const placeEnd = write(`id: ${placeOf(index)}`)
    const end = write(`\nevent: entry\ndata: ${entryText(entry)}\n\n`)
    return { start, placeEnd, end }
  }
  return {
    spanOf: (index) => {
      spans[index] ??= writeEvent(index)
      return spans[index]
    },
    bytes: (start, end) => bytes.subarray(start, end),
  }
}

const known = new WeakMap<readonly StoredEntry[], { firstPlace: string; events: WrittenEvents }>()

/** The events of an arrival, made once for all who follow: places are the same for all of them, but where one began in another run. */
export const writtenEvents = ({ of, placeOf }: Pick<Followed, 'of' | 'placeOf'>): WrittenEvents => {
  const firstPlace = placeOf(0)
  const found = known.get(of)
  if (found?.firstPlace === firstPlace) return found.events
  const events = createWrittenEvents(of, placeOf)
  known.set(of, { firstPlace, events })
  return events
}
