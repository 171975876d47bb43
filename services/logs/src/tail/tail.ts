import { randomUUID } from 'node:crypto'
import type { Delivery } from '@trellis/kit/bus'
import type { StoredEntry } from '../entries/entry.ts'
import { acceptsOrigin, acceptsTags, acceptsTemplate, type Filters } from '../search/filters.ts'
import { matchesWords, type Query } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { Arrival, LogEngine } from '../threads/log-engine.ts'
import { createArrivals } from './arrivals.ts'
import { createLingering } from './lingering.ts'

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

/** What followers hear of. */
export type TailEvent = Pick<Arrival, 'entries' | 'missed'>

/** What arrives while somebody follows. */
export type Tail = {
  /**
   * Takes part; resolves when arrivals are told of: all that come from then on are behind `sequence`. Sequences are those of `run`,
   * and mean nothing in another one.
   */
  join: () => Promise<{ run: string; sequence: number; leave: () => void }>
  /** Arrivals behind a sequence. */
  subscribe: (after: number, signal: AbortSignal) => AsyncIterable<Delivery<TailEvent>>
}

/** Arrivals are noted while somebody follows; nothing is sent between threads while nobody does. Each stretch of that is a run. */
export const createTail = ({ engine }: { engine: Pick<LogEngine, 'follow'> }): Tail => {
  const arrivals = createArrivals()
  const following = createLingering({
    start: async () => ({
      run: randomUUID(),
      stop: await engine.follow(arrivals.publish),
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
  }
}

/** Whether an entry is what somebody follows. */
export const isFollowed = (entry: StoredEntry, filters: Filters, query: Query | null): boolean =>
  acceptsOrigin(filters, entry.origin) &&
  acceptsTags(filters, entry.matchedPatterns) &&
  acceptsTemplate(filters, entry.templateId) &&
  (filters.severities === undefined || filters.severities.includes(entry.severity)) &&
  (query === null || (mayMatch(query, entry.text) && matchesWords(query, wordsOf(entry.text))))

const isPlain = (word: string): boolean => /^[a-z0-9]*$/.test(word)

/** False where a word that is asked for stands nowhere in the text. Only words whose lower case is the same wherever they stand say so. */
const mayMatch = ({ clauses }: Query, text: string): boolean => {
  const lower = text.toLowerCase()
  return clauses.every((clause) =>
    clause.some(({ words }) => words.every((word) => !isPlain(word) || lower.includes(word))),
  )
}
