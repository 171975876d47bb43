import type { Place } from './hits.ts'

/** A cursor names the last hit that was shown. Opaque to clients, and good for as long as the order is the same. */
export const encodeCursor = ({ score, time, sequence, key, shard = '' }: Place): string =>
  Buffer.from(JSON.stringify([score, time, sequence, key, ...(shard === '' ? [] : [shard])])).toString('base64url')

/** undefined for what is no cursor of ours. */
export const decodeCursor = (cursor: string): Place | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length < 4 || parts.length > 5) return undefined
    const shard: unknown = parts[4] ?? ''
    if (typeof shard !== 'string') return undefined
    const [score, time, sequence, key] = parts.slice(0, 4).map((part) => (typeof part === 'number' ? part : Number.NaN))
    if (score === undefined || time === undefined || sequence === undefined || key === undefined) return undefined
    return [score, time, sequence, key].some(Number.isNaN) ? undefined : { score, time, sequence, key, shard }
  } catch {
    return undefined
  }
}
