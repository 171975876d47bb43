import { statisticsOf } from '../search/cursor.ts'
import type { Place } from '../search/hits.ts'
import type { Statistics } from '../search/rank.ts'

/**
 * Where a page of a search by words and meaning ended. Candidates are taken in blocks, best by words first, and ordered anew within a block:
 * a page goes on behind `last` within the block between `start` and `end`, and then with the block behind it. Both ends are written down, and
 * how often words occurred when the first page was made, so that what arrives meanwhile changes no score and moves no entry to another block.
 */
export type HybridPlace = {
  /** The score by words that an entry with all of them would have, which scores are measured against. */
  best: number
  statistics: Statistics
  /** Behind which candidate the block begins; the first block begins with the first. */
  start: Place | null
  /** The last candidate of the block; null where it is yet to be taken. */
  end: Place | null
  /** The last entry that was shown of it; null at its beginning. Its score is by words and meaning. */
  last: Place | null
  /** Entries that are there for their meaning alone; they are candidates of the first block, and of no other. */
  near: readonly string[]
  /** How many of those a search by the words alone has not. */
  beside: number
}

type Numbers = [score: number, time: number, sequence: number, key: number, shard: string]

const numbersOf = (place: Place | null): Numbers | null =>
  place && [place.score, place.time, place.sequence, place.key, place.shard ?? '']

/** undefined for what is none. */
const placeOf = (numbers: unknown): Place | null | undefined => {
  if (numbers === null) return null
  if (!Array.isArray(numbers) || numbers.length !== 5) return undefined
  const [score, time, sequence, key, shard]: unknown[] = numbers
  if (typeof score !== 'number' || typeof time !== 'number' || typeof sequence !== 'number' || typeof key !== 'number')
    return undefined
  return typeof shard === 'string' ? { score, time, sequence, key, shard } : undefined
}

const kind = 'hybrid'

export const encodeHybridCursor = ({ best, statistics, start, end, last, near, beside }: HybridPlace): string => {
  const counts = [statistics.documents, statistics.words, Object.fromEntries(statistics.frequencies)]
  const parts = [kind, best, counts, numbersOf(start), numbersOf(end), numbersOf(last), near, beside]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** undefined for what is no cursor of such a search. */
export const decodeHybridCursor = (cursor: string): HybridPlace | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 8 || parts[0] !== kind) return undefined
    const best: unknown = parts[1]
    const statistics = statisticsOf(parts[2])
    const [start, end, last] = parts.slice(3, 6).map(placeOf)
    const [near, beside]: unknown[] = parts.slice(6)
    if (typeof best !== 'number' || !statistics || start === undefined || end === undefined || last === undefined)
      return undefined
    if (!Array.isArray(near) || !near.every((entryId) => typeof entryId === 'string')) return undefined
    if (typeof beside !== 'number') return undefined
    return { best, statistics, start, end, last, near, beside }
  } catch {
    return undefined
  }
}
