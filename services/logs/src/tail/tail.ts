import { randomUUID } from 'node:crypto'
import { type Bus, type Delivery, jsonCodec, topics } from '@trellis/kit/bus'
import type { StoredEntry } from '../entries/entry.ts'
import { acceptsOrigin, acceptsTags, type Filters } from '../search/filters.ts'
import { matchesWords, type Query } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { LogEngine } from '../threads/log-engine.ts'

/** Entries that came in together; `missed` more came with them than are told of. */
export type Arrival = { entries: StoredEntry[]; missed: number }

const arrivals = topics({
  family: 'logs.arrivals',
  ...jsonCodec<Arrival>(),
  keep: { events: 200, milliseconds: 600_000 },
})('all')

/** After the last reader has left, entries go on being published for so long, so that one that comes back has missed nothing. */
const lingerMilliseconds = 60_000

/** Where a reader is: the run of publishing, the event in it, and how many of its entries have been shown. */
export type TailPosition = { run: string; sequence: number; shown: number }

export const encodePosition = ({ run, sequence, shown }: TailPosition): string => `${run}.${sequence}.${shown}`

export const decodePosition = (text: string): TailPosition | undefined => {
  const match = /^([0-9a-f-]{36})\.(\d{1,16})\.(\d{1,6})$/.exec(text)
  return match ? { run: match[1] ?? '', sequence: Number(match[2]), shown: Number(match[3]) } : undefined
}

/** Publishes what arrives while somebody follows; nothing is sent between threads while nobody does. */
export type Tail = {
  /** Takes part; resolves when arrivals are being published. `run` is the name of this stretch of publishing. */
  join: () => Promise<{ run: string; leave: () => void }>
  subscribe: (after: number | 'latest', signal: AbortSignal) => AsyncIterable<Delivery<Arrival>>
}

export const createTail = ({ engine, bus }: { engine: LogEngine; bus: Bus }): Tail => {
  let readers = 0
  let current: { run: string; stop: () => Promise<void> } | undefined
  let starting: Promise<{ run: string; stop: () => Promise<void> }> | undefined
  let lingering: NodeJS.Timeout | undefined

  const start = async () => {
    const stop = await engine.follow((entries, missed) => void bus.publish(arrivals, { entries, missed }))
    current = { run: randomUUID(), stop }
    return current
  }
  const leave = () => {
    readers--
    if (readers > 0) return
    lingering = setTimeout(() => {
      const ending = current
      current = undefined
      starting = undefined
      void ending?.stop().catch(() => undefined)
    }, lingerMilliseconds)
    lingering.unref()
  }
  return {
    join: async () => {
      clearTimeout(lingering)
      readers++
      starting ??= start()
      const { run } = await starting
      return { run, leave }
    },
    subscribe: (after, signal) => bus.subscribe(arrivals, { after, signal }),
  }
}

/** Whether an entry is what somebody follows. */
export const isFollowed = (entry: StoredEntry, filters: Filters, query: Query | null): boolean =>
  acceptsOrigin(filters, entry.origin) &&
  acceptsTags(filters, entry.matchedPatterns) &&
  (filters.severities === undefined || (entry.severity !== null && filters.severities.includes(entry.severity))) &&
  (query === null || matchesWords(query, wordsOf(entry.text)))
