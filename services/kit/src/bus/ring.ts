import type { Delivery } from './bus.ts'
import type { Retention } from './topic.ts'

/** Stands in for events that are lost. */
export const missing = Symbol('missing')

/** An event or `missing`, its sequence, and when it was published, by the clock of `now`. */
export type Numbered<Event> = { sequence: number; event: Event | typeof missing; at: number }

type Stored<Event> = Numbered<Event> & { key: string | undefined; bytes: number }

type PushOptions = {
  /** When the event was published; now by default. */
  at?: number
  /** Its size, for `maxBytes` and `onDrop`; 0 by default. */
  bytes?: number
}

export type ReaderOptions = {
  /** Skips events up to this sequence. */
  through?: number
  /** Skips events published before this time. */
  before?: number
  /** Starts with a gap. */
  gap?: boolean
}

type RingOptions<Event> = {
  keep: Retention
  coalesceBy: ((event: Event) => string | undefined) | undefined
  now: () => number
  /** Events up to this sequence, if there were any, have been dropped already. */
  trimmedThrough: number
  /** The limit of all retained events; the newest is retained whatever its size. Unlimited by default. */
  maxBytes?: number
  /** Called with each event that is dropped. */
  onDrop?: ((dropped: { readonly sequence: number; readonly bytes: number }) => void) | undefined
}

/** Superseded events are skipped for readers that lag by more than this many events. */
const coalesceBeyond = 16

/**
 * The last events of one topic, and readers that each hold no more than a cursor. When the ring has moved past the
 * cursor of a slow reader, the reader gets a gap and continues with the oldest retained event.
 */
export const createRing = <Event>({
  keep,
  coalesceBy,
  now,
  trimmedThrough,
  maxBytes = Number.POSITIVE_INFINITY,
  onDrop,
}: RingOptions<Event>) => {
  const stored: Stored<Event>[] = []
  /** Events dropped from the front, but not yet cut from the array. */
  let offset = 0
  /** How many events were ever dropped, less those prepended: `dropped + index - offset` is an event's stable ordinal. */
  let dropped = 0
  let gone = trimmedThrough
  let newest = trimmedThrough
  let retainedBytes = 0
  const latestOfKey = new Map<string, number>()
  const wakers = new Set<() => void>()
  let readers = 0

  const dropOldest = () => {
    const oldest = stored[offset]
    if (!oldest) return
    retainedBytes -= oldest.bytes
    gone = oldest.sequence
    if (oldest.key !== undefined && latestOfKey.get(oldest.key) === oldest.sequence) latestOfKey.delete(oldest.key)
    // The entry stays in the array for a while, without its event.
    oldest.event = missing
    offset += 1
    dropped += 1
    if (offset > 64 && offset * 2 > stored.length) {
      stored.splice(0, offset)
      offset = 0
    }
    onDrop?.(oldest)
  }

  const trim = () => {
    const expired = now() - keep.milliseconds
    while (stored.length - offset > keep.events) dropOldest()
    while (retainedBytes > maxBytes && stored.length - offset > 1) dropOldest()
    for (let oldest = stored[offset]; oldest && oldest.at < expired; oldest = stored[offset]) dropOldest()
  }

  const wakeAll = () => {
    const waiting = [...wakers]
    wakers.clear()
    for (const wake of waiting) wake()
  }

  const storedOf = ({ sequence, event, at }: Numbered<Event>, bytes = 0): Stored<Event> => ({
    sequence,
    event,
    at,
    key: event === missing ? undefined : coalesceBy?.(event),
    bytes,
  })

  const push = (sequence: number, event: Event | typeof missing, { at = now(), bytes = 0 }: PushOptions = {}) => {
    const entry = storedOf({ sequence, event, at }, bytes)
    stored.push(entry)
    retainedBytes += bytes
    if (entry.key !== undefined) latestOfKey.set(entry.key, sequence)
    newest = sequence
    trim()
    wakeAll()
  }

  /** Puts older events before the present ones; events up to the sequence `through` are gone. */
  const prepend = (older: readonly Numbered<Event>[], through: number) => {
    // Once events have been dropped, older ones are not retained either.
    if (dropped !== 0) return
    const entries = older.map((numbered) => storedOf(numbered))
    stored.splice(0, offset, ...entries)
    offset = 0
    dropped -= entries.length
    gone = through
    for (const { key, sequence } of entries)
      if (key !== undefined && (latestOfKey.get(key) ?? 0) < sequence) latestOfKey.set(key, sequence)
    trim()
  }

  /** The ordinal of the first retained event behind a sequence. */
  const ordinalAfter = (sequence: number): number => {
    let low = offset
    let high = stored.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((stored[middle]?.sequence ?? 0) <= sequence) low = middle + 1
      else high = middle
    }
    return dropped + low - offset
  }

  const isSuperseded = ({ key, sequence }: Stored<Event>, ordinal: number) =>
    key !== undefined &&
    dropped + stored.length - offset - ordinal > coalesceBeyond &&
    latestOfKey.get(key) !== sequence

  const reader = (
    after: number | 'start' | 'latest',
    { through = 0, before = 0, gap: lost = false }: ReaderOptions = {},
  ) => {
    trim()
    let missed: number | null | undefined
    if (lost || (typeof after === 'number' && after < gone)) missed = null
    let ordinal = after === 'start' ? dropped : ordinalAfter(after === 'latest' ? newest : after)

    /** The next delivery, or undefined when the reader is up to date. */
    const next = (): Delivery<Event> | undefined => {
      trim()
      if (ordinal < dropped) {
        missed = missed === null ? null : dropped - ordinal
        ordinal = dropped
      }
      if (missed !== undefined) {
        const gap = { kind: 'gap', missed } as const
        missed = undefined
        return gap
      }
      for (;;) {
        const found = stored[ordinal - dropped + offset]
        if (!found) return undefined
        ordinal += 1
        if (found.sequence <= through || found.at < before) continue
        if (found.event === missing) return { kind: 'gap', missed: null }
        if (!isSuperseded(found, ordinal)) return { kind: 'event', sequence: found.sequence, event: found.event }
      }
    }
    return { next }
  }

  return {
    push,
    prepend,
    dropOldest,
    reader,
    newest: () => newest,
    /** The sequence of the oldest retained event. */
    oldest: () => stored[offset]?.sequence,
    /** Calls back once, at the next event. Returns a function that unsubscribes. */
    onNext: (wake: () => void) => {
      wakers.add(wake)
      return () => wakers.delete(wake)
    },
    /** Counts a reader until the signal aborts, so that the ring is not idle meanwhile. */
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

/** The deliveries of a reader, as they come, until the signal aborts. */
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
    const unsubscribe = ring.onNext(resolve)
    const stop = () => resolve()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
      unsubscribe()
    }
  }
}

/** Follows a ring until the signal aborts. The cursor is set at the call, not at the first read. */
export const follow = <Event>(
  ring: Ring<Event>,
  { after, signal }: { after: number | 'start' | 'latest'; signal: AbortSignal },
): AsyncIterable<Delivery<Event>> => {
  const reader = ring.reader(after)
  ring.attach(signal)
  return { [Symbol.asyncIterator]: () => read(ring, reader, signal) }
}
