import { randomUUID } from 'node:crypto'
import { type Bus, type Delivery, jsonCodec, topics } from '@trellis/kit/bus'
import type { StoredEntry } from '../entries/entry.ts'
import { acceptsOrigin, acceptsTags, type Filters } from '../search/filters.ts'
import { matchesWords, type Query } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createLingering } from './lingering.ts'

/** Entries that came in together; `missed` more came with them than are told of. */
export type Arrival = { entries: StoredEntry[]; missed: number }

const arrivals = topics({
  family: 'logs.arrivals',
  ...jsonCodec<Arrival>(),
  keep: { events: 200, milliseconds: 600_000 },
})('all')

/** After the last reader has left, entries go on being published for so long, so that one that comes back has missed nothing. */
export const lingerMilliseconds = 60_000

/** Where a reader is: the run of publishing, the event in it, and how many of its entries have been shown. */
export type TailPosition = { run: string; sequence: number; shown: number }

/** As many as have been shown by a position that all entries of its event are behind; no event has more. */
export const allShown = 999_999

export const encodePosition = ({ run, sequence, shown }: TailPosition): string => `${run}.${sequence}.${shown}`

export const decodePosition = (text: string): TailPosition | undefined => {
  const match = /^([0-9a-f-]{36})\.(\d{1,16})\.(\d{1,6})$/.exec(text)
  return match ? { run: match[1] ?? '', sequence: Number(match[2]), shown: Number(match[3]) } : undefined
}

/** What arrives while somebody follows. */
export type Tail = {
  /**
   * Takes part; resolves when arrivals are told of: all that come from then on are behind `sequence`. Sequences are those of `run`,
   * and mean nothing in another one.
   */
  join: () => Promise<{ run: string; sequence: number; leave: () => void }>
  /** Arrivals behind a sequence. */
  subscribe: (after: number, signal: AbortSignal) => AsyncIterable<Delivery<Arrival>>
}

/** Arrivals go over a topic while somebody follows; nothing is sent between threads while nobody does. Each stretch of that is a run. */
export const createTail = ({ engine, bus }: { engine: LogEngine; bus: Bus }): Tail => {
  const following = createLingering({
    start: async () => ({
      run: randomUUID(),
      stop: await engine.follow((entries, missed) => void bus.publish(arrivals, { entries, missed })),
    }),
    stop: ({ stop }) => stop(),
    milliseconds: lingerMilliseconds,
  })
  return {
    join: async () => {
      const { running, leave } = await following.join()
      try {
        // Nothing arrives with it. Its place is before all that comes now.
        const sequence = await bus.publish(arrivals, { entries: [], missed: 0 })
        return { run: running.run, sequence, leave }
      } catch (error) {
        leave()
        throw error
      }
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
