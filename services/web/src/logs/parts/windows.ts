/** Time windows as they are in the URL: `-1h` is relative and stays so, anything else is a moment. */
const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const presets = [
  ['', 'All time'],
  ['-15m', 'Last 15 minutes'],
  ['-1h', 'Last hour'],
  ['-6h', 'Last 6 hours'],
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
] as const

/** The moment that a bound means at a time, as ISO 8601; undefined for no bound or one that means nothing. */
export const momentOf = (bound: string, now: number): string | undefined => {
  if (bound === '') return undefined
  const relative = /^-(\d{1,4})([mhdw])$/.exec(bound)
  if (relative) return new Date(now - Number(relative[1]) * (units[relative[2] ?? 'm'] ?? 0)).toISOString()
  const time = Date.parse(bound)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

const unitNames: Record<string, string> = { m: 'minute', h: 'hour', d: 'day', w: 'week' }

/** A relative bound in words, such as "Last 3 hours"; undefined for any other. */
export const relativeWords = (bound: string): string | undefined => {
  const preset = presets.find(([known]) => known === bound && known !== '')
  if (preset) return preset[1]
  const [, count = '', unit = ''] = /^-(\d{1,4})([mhdw])$/.exec(bound) ?? []
  const name = unitNames[unit]
  if (name === undefined) return undefined
  return count === '1' ? `Last ${name}` : `Last ${count} ${name}s`
}

export type Span = { since: number; until: number }

/** A span moved by a part of its length: -0.5 is half a window earlier. */
export const moved = ({ since, until }: Span, share: number): Span => {
  const by = (until - since) * share
  return { since: since + by, until: until + by }
}

/** A span made longer or shorter around its middle. */
export const scaled = ({ since, until }: Span, factor: number): Span => {
  const middle = (since + until) / 2
  const half = Math.max(500, ((until - since) * factor) / 2)
  return { since: middle - half, until: middle + half }
}

export const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** A moment as the value of an input of the browser, in local time or UTC. */
export const toInput = (iso: string, zone: 'local' | 'utc'): string => {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const shifted = zone === 'utc' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

export const fromInput = (value: string, zone: 'local' | 'utc'): string => {
  const time = Date.parse(zone === 'utc' ? `${value}Z` : value)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}
