import type { Delivery } from './bus.ts'
import type { Retention } from './topic.ts'

/** Stands where events are missing that nobody can bring back. */
export const missing = Symbol('missing')

/** An event or a hole, its number, and when it was published, by the clock of `now`. */
export type Numbered<Event> = { sequence: number; event: Event | typeof missing; at: number }

type Stored<Event> = Numbered<Event> & { key: string | undefined }

export type ReaderOptions = {
  /** Passes over events up to this number. */
  through?: number
  /** Passes over events published before this time. */
  before?: number
  /** Begins with a gap. */
  gap?: boolean
}

type RingOptions<Event> = {
  keep: Retention
  coalesceBy: ((event: Event) => string | undefined) | undefined
  now: () => number
  /** Events up to this sequence, if there were any, are already gone. */
  trimmedThrough: number
  /** How heavy events are, and how heavy all that are kept may be; the newest is kept whatever it weighs. */
  weigh?: { of: (event: Event) => number; max: number } | undefined
}

/** How far behind a reader must be before superseded events are skipped for it. */
const coalesceBeyond = 16

/**
 * The last events of one topic, and readers that each hold just a place in it. So a slow reader costs nothing but
 * its place: when the ring has moved past it, it meets a gap and goes on with the oldest event that is left.
 */
export const createRing = <Event>({ keep, coalesceBy, now, trimmedThrough, weigh }: RingOptions<Event>) => {
  const stored: Stored<Event>[] = []
  /** Dropped from the front of `kept`, but not yet cut from the array. */
  let offset = 0
  /** How many events were ever dropped: `dropped + position` numbers an event for good. */
  let dropped = 0
  let gone = trimmedThrough
  let newest = trimmedThrough
  let weight = 0
  const latestOfKey = new Map<string, number>()
  const wakers = new Set<() => void>()
  let readers = 0

  const weightOf = ({ event }: Numbered<Event>) => (weigh && event !== missing ? weigh.of(event) : 0)

  const dropOldest = () => {
    const oldest = stored[offset]
    if (!oldest) return
    weight -= weightOf(oldest)
    gone = oldest.sequence
    if (oldest.key !== undefined && latestOfKey.get(oldest.key) === oldest.sequence) latestOfKey.delete(oldest.key)
    // It stays in the array for a while, but holds nothing.
    oldest.event = missing
    offset += 1
    dropped += 1
    if (offset > 64 && offset * 2 > stored.length) {
      stored.splice(0, offset)
      offset = 0
    }
  }

  const trim = () => {
    const expired = now() - keep.milliseconds
    while (stored.length - offset > keep.events) dropOldest()
    while (weigh && weight > weigh.max && stored.length - offset > 1) dropOldest()
    for (let oldest = stored[offset]; oldest && oldest.at < expired; oldest = stored[offset]) dropOldest()
  }

  const wakeAll = () => {
    const waiting = [...wakers]
    wakers.clear()
    for (const wake of waiting) wake()
  }

  const keyed = (numbered: Numbered<Event>): Stored<Event> => ({
    ...numbered,
    key: numbered.event === missing ? undefined : coalesceBy?.(numbered.event),
  })

  const push = (sequence: number, event: Event | typeof missing, at = now()) => {
    const entry = keyed({ sequence, event, at })
    stored.push(entry)
    weight += weightOf(entry)
    if (entry.key !== undefined) latestOfKey.set(entry.key, sequence)
    newest = sequence
    trim()
    wakeAll()
  }

  /** Puts older events before those that are here; what lies further back is gone, up to the number `through`. */
  const prepend = (older: readonly Numbered<Event>[], through: number) => {
    // Where events have been dropped since, older ones are no longer kept anywhere.
    if (dropped !== 0) return
    const entries = older.map(keyed)
    stored.splice(0, offset, ...entries)
    weight += entries.reduce((sum, entry) => sum + weightOf(entry), 0)
    offset = 0
    dropped -= entries.length
    gone = through
    for (const { key, sequence } of entries)
      if (key !== undefined && (latestOfKey.get(key) ?? 0) < sequence) latestOfKey.set(key, sequence)
    trim()
  }

  /** The number of the first kept event behind a sequence. */
  const placeAfter = (sequence: number): number => {
    let low = offset
    let high = stored.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((stored[middle]?.sequence ?? 0) <= sequence) low = middle + 1
      else high = middle
    }
    return dropped + low - offset
  }

  const isSuperseded = ({ key, sequence }: Stored<Event>, place: number) =>
    key !== undefined && dropped + stored.length - offset - place > coalesceBeyond && latestOfKey.get(key) !== sequence

  const reader = (
    after: number | 'start' | 'latest',
    { through = 0, before = 0, gap: lost = false }: ReaderOptions = {},
  ) => {
    trim()
    let missed: number | null | undefined
    if (lost || (typeof after === 'number' && after < gone)) missed = null
    let place = after === 'start' ? dropped : placeAfter(after === 'latest' ? newest : after)

    /** The next delivery, or undefined when the reader is up to date. */
    const next = (): Delivery<Event> | undefined => {
      trim()
      if (place < dropped) {
        missed = missed === null ? null : dropped - place
        place = dropped
      }
      if (missed !== undefined) {
        const gap = { kind: 'gap', missed } as const
        missed = undefined
        return gap
      }
      for (;;) {
        const found = stored[place - dropped + offset]
        if (!found) return undefined
        place += 1
        if (found.sequence <= through || found.at < before) continue
        if (found.event === missing) return { kind: 'gap', missed: null }
        if (!isSuperseded(found, place)) return { kind: 'event', sequence: found.sequence, event: found.event }
      }
    }
    return { next }
  }

  return {
    push,
    prepend,
    reader,
    newest: () => newest,
    /** Calls back once, at the next event. Gives a function that forgets the wish. */
    onNext: (wake: () => void) => {
      wakers.add(wake)
      return () => wakers.delete(wake)
    },
    /** Counts a reader until the signal aborts, so that the ring is not let go under it. */
    attach: (signal: AbortSignal) => {
      if (signal.aborted) return
      readers += 1
      signal.addEventListener('abort', () => (readers -= 1), { once: true })
    },
    isIdle: () => {
      trim()
      return readers === 0 && stored.length === offset
    },
  }
}

export type Ring<Event> = ReturnType<typeof createRing<Event>>
export type Reader<Event> = ReturnType<Ring<Event>['reader']>

/** What a reader of a ring comes to, until the signal aborts. */
export async function* read<Event>(
  ring: Ring<Event>,
  reader: Reader<Event>,
  signal: AbortSignal,
): AsyncGenerator<Delivery<Event>, void> {
  while (!signal.aborted) {
    const delivery = reader.next()
    if (delivery) {
      yield delivery
      continue
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const forget = ring.onNext(resolve)
    const stop = () => resolve()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
      forget()
    }
  }
}

/** Follows a ring until the signal aborts. The place is taken at the call, not at the first read. */
export const follow = <Event>(
  ring: Ring<Event>,
  { after, signal }: { after: number | 'start' | 'latest'; signal: AbortSignal },
): AsyncIterable<Delivery<Event>> => {
  const reader = ring.reader(after)
  ring.attach(signal)
  return { [Symbol.asyncIterator]: () => read(ring, reader, signal) }
}
