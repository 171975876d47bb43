import { statisticsOf } from '../search/cursor.ts'
import type { Position } from '../search/hits.ts'
import type { Statistics } from '../search/rank.ts'

/**
 * A position in a search by words and meaning. Candidates are processed in blocks, best by words first, and reordered within a block: a page
 * continues after `last` within the block between `start` and `end`, and then with the next block. The cursor stores both ends and the word
 * statistics of the first page, so that new entries change no score and move no entry to another block.
 */
export type HybridPosition = {
  /** The score by words of an entry with all of them, which normalizes scores. */
  best: number
  statistics: Statistics
  /** The candidate before the block; null for the first block. */
  start: Position | null
  /** The last candidate of the block; null if the block was not read yet. */
  end: Position | null
  /** The last entry of the block that was returned; null at its beginning. Its score combines words and meaning. */
  last: Position | null
  /** Entries found by meaning only; they are candidates of the first block only. */
  near: readonly string[]
  /** How many of these a search by words alone does not find. */
  onlyByMeaning: number
}

type Numbers = [score: number, time: number, sequence: number, key: number, shard: string]

const numbersOf = (position: Position | null): Numbers | null =>
  position && [position.score, position.time, position.sequence, position.key, position.shard ?? '']

/** Returns undefined for an invalid value. */
const positionOf = (numbers: unknown): Position | null | undefined => {
  if (numbers === null) return null
  if (!Array.isArray(numbers) || numbers.length !== 5) return undefined
  const [score, time, sequence, key, shard]: unknown[] = numbers
  if (typeof score !== 'number' || typeof time !== 'number' || typeof sequence !== 'number' || typeof key !== 'number')
    return undefined
  return typeof shard === 'string' ? { score, time, sequence, key, shard } : undefined
}

const kind = 'hybrid'

export const encodeHybridCursor = ({
  best,
  statistics,
  start,
  end,
  last,
  near,
  onlyByMeaning,
}: HybridPosition): string => {
  const counts = [statistics.documents, statistics.words, Object.fromEntries(statistics.frequencies)]
  const parts = [kind, best, counts, numbersOf(start), numbersOf(end), numbersOf(last), near, onlyByMeaning]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Returns undefined for an invalid cursor. */
export const decodeHybridCursor = (cursor: string): HybridPosition | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 8 || parts[0] !== kind) return undefined
    const best: unknown = parts[1]
    const statistics = statisticsOf(parts[2])
    const [start, end, last] = parts.slice(3, 6).map(positionOf)
    const [near, onlyByMeaning]: unknown[] = parts.slice(6)
    if (typeof best !== 'number' || !statistics || start === undefined || end === undefined || last === undefined)
      return undefined
    if (!Array.isArray(near) || !near.every((entryId) => typeof entryId === 'string')) return undefined
    if (typeof onlyByMeaning !== 'number') return undefined
    return { best, statistics, start, end, last, near, onlyByMeaning }
  } catch {
    return undefined
  }
}
