import { randomUUID } from 'node:crypto'
import type { Delivery } from '@trellis/kit/bus'
import type { StoredEntry } from '../entries/entry.ts'
import { acceptsOrigin, acceptsTags, acceptsTemplate, type Filters } from '../search/filters.ts'
import { matchesWords, type Query } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { Arrival, LogEngine } from '../threads/log-engine.ts'
import { createArrivals } from './arrivals.ts'
import { createLingering } from './lingering.ts'

/** How long publishing continues after the last reader has left, so that one that reconnects has missed nothing. */
export const lingerMilliseconds = 60_000

/** The position of a reader: the run of publishing, the arrival in it, and the number of its entries that have been shown. */
export type TailPosition = { run: string; sequence: number; shown: number }

/** The `shown` of a position after all entries of an arrival; no arrival has more. */
export const allShown = 999_999

export const encodePosition = ({ run, sequence, shown }: TailPosition): string => `${run}.${sequence}.${shown}`

export const decodePosition = (text: string): TailPosition | undefined => {
  const match = /^([0-9a-f-]{36})\.(\d{1,16})\.(\d{1,6})$/.exec(text)
  return match ? { run: match[1] ?? '', sequence: Number(match[2]), shown: Number(match[3]) } : undefined
}

/** The part of an arrival that followers receive. */
export type TailEvent = Pick<Arrival, 'entries' | 'missed'>

/** Publishes arrivals while they are followed. */
export type Tail = {
  /**
   * Adds a follower; resolves when arrivals are published: all later ones have a higher sequence than `sequence`. Sequences are valid within
   * `run` only.
   */
  join: () => Promise<{ run: string; sequence: number; leave: () => void }>
  /** Arrivals after a sequence. */
  subscribe: (after: number, signal: AbortSignal) => AsyncIterable<Delivery<TailEvent>>
  /** Whether an entry of the arrival with this sequence was deleted since. */
  isDeleted: (entry: StoredEntry, sequence: number) => boolean
}

/** A tail of one process, which records arrivals. */
export type LocalTail = Tail & {
  /** Drops what is recorded, which no longer equals what is stored; readers that have not received it get a gap. */
  clear: () => void
}

/** Arrivals are recorded while they have followers; otherwise nothing is sent between threads. Each such period is a run. */
export const createTail = ({ engine }: { engine: Pick<LogEngine, 'follow'> }): LocalTail => {
  const arrivals = createArrivals()
  const following = createLingering({
    start: async () => ({
      run: randomUUID(),
      stop: await engine.follow(arrivals.publish, arrivals.deleteSource),
    }),
    stop: ({ stop }) => stop(),
    milliseconds: lingerMilliseconds,
  })
  return {
    join: async () => {
      const { running, leave } = await following.join()
      return { run: running.run, sequence: arrivals.newest(), leave }
    },
    subscribe: arrivals.subscribe,
    clear: arrivals.clear,
    isDeleted: ({ origin }, sequence) => arrivals.isDeleted(origin.sourceId, sequence),
  }
}

/** Whether an entry matches what is followed. */
export const isFollowed = (entry: StoredEntry, filters: Filters, query: Query | null): boolean =>
  acceptsOrigin(filters, entry.origin) &&
  acceptsTags(filters, entry.matchedPatterns) &&
  acceptsTemplate(filters, entry.templateId) &&
  (filters.severities === undefined || filters.severities.includes(entry.severity)) &&
  (query === null || (mayMatch(query, entry.text) && matchesWords(query, wordsOf(entry.text))))

const isPlain = (word: string): boolean => /^[a-z0-9]*$/.test(word)

/** False if a word of the query is missing in the text. Only checks words of ASCII letters and digits, whose lower case does not depend on context. */
const mayMatch = ({ clauses }: Query, text: string): boolean => {
  const lower = text.toLowerCase()
  return clauses.every((clause) =>
    clause.some(({ words }) => words.every((word) => !isPlain(word) || lower.includes(word))),
  )
}
