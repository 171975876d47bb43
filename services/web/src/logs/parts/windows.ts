export const presets = [
  ['', 'All time'],
  ['-15m', 'Last 15 minutes'],
  ['-1h', 'Last hour'],
  ['-6h', 'Last 6 hours'],
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
] as const

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

/** The first and the last moment that the server reads: years have four digits. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59Z')

export const isoOf = (milliseconds: number): string =>
  new Date(Math.min(latest, Math.max(earliest, milliseconds))).toISOString()

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
