export type HistogramData = {
  start: string
  bucket_seconds: number
  counts: readonly number[]
  earlier: number
  later: number
  /** Counts by severity, as the API sends them. */
  by_severity?: unknown
}

export type Piece = { severity: string; count: number; below: number }
export type Stack = { bucket: number; pieces: Piece[] }

/** From the bottom: what matters most stands on the line, where lengths can be compared. */
const order = ['CRITICAL', 'ERROR', 'WARN', 'none']

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => typeof count === 'number')

const seriesOf = ({ by_severity: bySeverity, counts }: HistogramData): [string, readonly number[]][] => {
  const entries = typeof bySeverity === 'object' && bySeverity !== null ? Object.entries(bySeverity) : []
  const known = order.flatMap((severity): [string, readonly number[]][] => {
    const found = entries.find(([name]) => name === severity)?.[1]
    return isCounts(found) ? [[severity, found]] : []
  })
  return known.length > 0 ? known : [['none', counts]]
}

/** The bars of a histogram, each of pieces that lie on each other; empty buckets have none. */
export const stacksOf = (data: HistogramData): Stack[] => {
  const series = seriesOf(data)
  return data.counts.flatMap((total, bucket) => {
    if (total === 0) return []
    let below = 0
    const pieces = series.flatMap(([severity, counts]) => {
      const count = counts[bucket] ?? 0
      if (count === 0) return []
      const piece = { severity, count, below }
      below += count
      return [piece]
    })
    return [{ bucket, pieces }]
  })
}
