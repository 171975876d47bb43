import type { Position } from './hits.ts'
import type { Statistics } from './rank.ts'

/**
 * A cursor contains the last hit that was shown and, if ordered by relevance, the statistics that its score was computed with. The next page
 * is ranked with the same statistics, so entries that arrive or are deleted meanwhile do not move others: each remaining entry is shown once.
 * Opaque to clients.
 */
export const encodeCursor = ({ score, time, sequence, key, shard = '', statistics }: Position): string => {
  const counts = statistics && [statistics.documents, statistics.words, Object.fromEntries(statistics.frequencies)]
  const parts = [score, time, sequence, key, ...(shard !== '' || counts ? [shard] : []), ...(counts ? [counts] : [])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Undefined for invalid statistics: scores computed with them would be NaN. */
export const statisticsOf = (counts: unknown): Statistics | undefined => {
  if (!Array.isArray(counts)) return undefined
  const [documents, words, counted]: unknown[] = counts
  if (!isCount(documents) || !isCount(words) || typeof counted !== 'object' || counted === null) return undefined
  const frequencies = new Map<string, number>()
  for (const [word, count] of Object.entries(counted)) {
    if (!isCount(count) || count > documents) return undefined
    frequencies.set(word, count)
  }
  return { documents, words, frequencies }
}

/** Undefined for text that is not one of our cursors. */
export const decodeCursor = (cursor: string): Position | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length < 4 || parts.length > 6) return undefined
    const [score, time, sequence, key, shard = '']: unknown[] = parts
    if (typeof score !== 'number' || typeof time !== 'number') return undefined
    if (typeof sequence !== 'number' || typeof key !== 'number' || typeof shard !== 'string') return undefined
    if (parts.length < 6) return { score, time, sequence, key, shard }
    const statistics = statisticsOf(parts[5])
    return statistics && { score, time, sequence, key, shard, statistics }
  } catch {
    return undefined
  }
}
