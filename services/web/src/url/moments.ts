import type { Codec } from './codecs.ts'

/** Bounds of time in the URL: `-1h` is relative and stays so, anything else is a moment. */
const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const relativeBound = /^-(\d{1,4})([mhdw])$/

/** The moment that a bound means at a time, as ISO 8601; undefined for no bound or one that means nothing. */
export const momentOf = (bound: string, now: number): string | undefined => {
  if (bound === '') return undefined
  const relative = relativeBound.exec(bound)
  if (relative) return new Date(now - Number(relative[1]) * (units[relative[2] ?? 'm'] ?? 0)).toISOString()
  const time = Date.parse(bound)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Codec of a bound; `words` mean something else to the page, such as "all". */
export const moment = (fallback = '', words: readonly string[] = []): Codec<string> => ({
  fallback,
  parse: (bound) => (words.includes(bound) || momentOf(bound, 0) !== undefined ? bound : undefined),
  format: (bound) => bound,
})

/** An address for others: what is relative in it to now is written as moments, so that they see the same at any time. */
export const absoluteAddress = (address: string, now: number): string => {
  const url = new URL(address)
  const { searchParams: parameters } = url
  const since = parameters.get('since') ?? ''
  const until = parameters.get('until') ?? ''
  if (relativeBound.test(since)) {
    parameters.set('since', momentOf(since, now) ?? '')
    if (until === '') parameters.set('until', new Date(now).toISOString())
  }
  if (relativeBound.test(until)) parameters.set('until', momentOf(until, now) ?? '')
  return url.href
}
