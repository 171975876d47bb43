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
