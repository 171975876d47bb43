import type { Place } from './hits.ts'
import type { Statistics } from './rank.ts'

/**
 * A cursor names the last hit that was shown and, for an order by relevance, the statistics that its score was made with. The next page
 * is ranked with the same ones, so entries that arrive or go meanwhile move no other: each that stays is shown once. Opaque to clients.
 */
export const encodeCursor = ({ score, time, sequence, key, shard = '', statistics }: Place): string => {
  const counts = statistics && [statistics.documents, statistics.words, Object.fromEntries(statistics.frequencies)]
  const parts = [score, time, sequence, key, ...(shard !== '' || counts ? [shard] : []), ...(counts ? [counts] : [])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** undefined for what are none: scores made with them would not be numbers. */
export const statisticsOf = (counts: unknown): Statistics | undefined => {
  if (!Array.isArray(counts)) return undefined
  const [documents, words, given]: unknown[] = counts
  if (!isCount(documents) || !isCount(words) || typeof given !== 'object' || given === null) return undefined
  const frequencies = new Map<string, number>()
  for (const [word, count] of Object.entries(given)) {
    if (!isCount(count) || count > documents) return undefined
    frequencies.set(word, count)
  }
  return { documents, words, frequencies }
}

/** undefined for what is no cursor of ours. */
export const decodeCursor = (cursor: string): Place | undefined => {
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
