import { nounFor } from '../counted.ts'
import type { Facets } from '../search/facets.ts'
import type { Filters } from '../search/filters.ts'
import type { NearCounts, NearResult } from '../search/near-histogram.ts'
import { overSpan } from './onset.ts'

/** The entries of a source that a scan reads: its errors; if it has none, its warnings; otherwise any entries. */
export type Grade = 'error' | 'warning' | 'entry'
export type SourceScan = { sourceId: string; grade: Grade; result: NearResult }

const grades: readonly (readonly [Grade, Pick<Filters, 'severities'>])[] = [
  ['error', { severities: ['CRITICAL', 'ERROR'] }],
  ['warning', { severities: ['WARN'] }],
  ['entry', {}],
]

/** Filters that only pass entries of a grade. */
export const gradedFilters = (filters: Filters, grade: Grade): Filters => ({
  ...filters,
  ...grades.find(([name]) => name === grade)?.[1],
})

/** The newest entries of the most severe grade that a source has; undefined if no entry passes the filters. */
export const scanSource = async (
  latest: (filters: Filters) => Promise<NearResult>,
  filters: Filters,
  sourceId: string,
): Promise<SourceScan | undefined> => {
  for (const [grade] of grades) {
    const result = await latest(gradedFilters({ ...filters, source: sourceId }, grade))
    if (result.total > 0) return { sourceId, grade, result }
  }
  return undefined
}

type Counted<Value> = { value: Value; count: number }

const summed = <Value>(lists: readonly (readonly Counted<Value>[])[]): Counted<Value>[] => {
  const counts = new Map<Value, number>()
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count)
  return [...counts].map(([value, count]) => ({ value, count }))
}

/** The sums of several scans' counts. */
export const facetsOf = (scans: readonly SourceScan[]): Facets => {
  const facets = scans.flatMap(({ result }) => result.facets ?? [])
  return {
    severity: summed(facets.map(({ severity }) => severity)),
    source: summed(facets.map(({ source }) => source)),
    pattern: summed(facets.map(({ pattern }) => pattern)),
    domain: summed(facets.map(({ domain }) => domain)),
  }
}

/** The sums of several scans' counts over time; null without scans. */
export const histogramOf = (scans: readonly SourceScan[]): NearCounts | null => {
  const all = scans.flatMap(({ result }) => result.histogram ?? [])
  const first = Math.min(...all.map(({ start }) => start))
  const last = Math.max(
    ...all.map(({ start, counts, bucketSeconds }) => start + counts.length * bucketSeconds * 1000 - 1),
  )
  const [one, ...others] = all.length > 1 ? all.flatMap((histogram) => overSpan(histogram, first, last) ?? []) : all
  if (!one) return null
  const counts = one.counts.map((count, bucket) =>
    others.reduce((sum, other) => sum + (other.counts[bucket] ?? 0), count),
  )
  const sum = (side: 'earlier' | 'later') => all.reduce((whole, histogram) => whole + histogram[side], 0)
  return { ...one, counts, earlier: sum('earlier'), later: sum('later') }
}

/** The result of a scan as a sentence. */
export const scanInWords = ({ sourceId, grade, result: { total } }: SourceScan, window: string): string => {
  if (grade === 'error') return `${sourceId} has ${total} ${nounFor(total, 'error')} ${window}.`
  if (grade === 'warning') return `${sourceId} has no errors ${window}, but ${total} ${nounFor(total, 'warning')}.`
  return `${sourceId} has neither errors nor warnings ${window}; its newest entries are shown, of ${total}.`
}
