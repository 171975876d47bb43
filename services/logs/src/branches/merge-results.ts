import type { StoredEntry } from '../entries/entry.ts'
import { orderOf } from '../entries/entry-order.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { type FacetCount, type Facets, maxFacetValues } from '../search/facets.ts'
import { bucketsFor, emptyHistogram, type Histogram } from '../search/histogram.ts'
import { compareRanks, type Order, type Rank } from '../search/hits.ts'
import type { FoundEntry, SearchResult } from '../search/search.ts'
import { keyPrefixOf } from '../segments/key-table.ts'

/** The result of one of several stores. `shard` names the store and orders equal ranks: the service's own has the empty name, which is first. */
export type ShardResult = { shard: string; result: SearchResult }

/** A rank among several stores, in which the store breaks ties. */
export type SharedRank = Rank & { shard: string }

export const rankOfEntry = (entry: StoredEntry, score: number, order: Order): Rank => {
  const sign = order === 'oldest' ? -1 : 1
  return {
    score,
    time: sign * entry.effectiveTime,
    sequence: sign * orderOf(entry),
    key: sign * keyPrefixOf(keyOfEntryId(entry.entryId)),
  }
}

/**
 * The rank after which a store continues, for a rank among all stores. Keys are integers: subtracting a half includes entries of equal rank,
 * which a store after that of the last shown entry has not shown yet.
 */
export const afterIn = (shard: string, { shard: last, ...rank }: SharedRank): Rank =>
  shard > last ? { ...rank, key: rank.key - 0.5 } : rank

const mergeCounts = <Value>(all: readonly (readonly FacetCount<Value>[])[]): FacetCount<Value>[] => {
  const counts = new Map<Value, number>()
  for (const { value, count } of all.flat()) counts.set(value, (counts.get(value) ?? 0) + count)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
    .slice(0, maxFacetValues)
}

const mergeFacets = (all: readonly Facets[]): Facets => ({
  severity: mergeCounts(all.map(({ severity }) => severity)),
  source: mergeCounts(all.map(({ source }) => source)),
  pattern: mergeCounts(all.map(({ pattern }) => pattern)),
  domain: mergeCounts(all.map(({ domain }) => domain)),
})

/**
 * Merges histograms. A bucket is counted at its start: if the bucket lengths of two stores do not divide each other (2 and 5 minutes), an entry
 * may be counted up to one bucket of its own store too early. Totals are exact.
 */
const mergeHistograms = (all: readonly Histogram[]): Histogram | null => {
  const buckets = all.flatMap(({ start, bucketSeconds, counts, bySeverity }) =>
    counts.flatMap((count, index) => {
      const graded = bySeverity.map((ofSeverity) => ofSeverity[index] ?? 0)
      return count > 0 ? [{ time: start + index * bucketSeconds * 1000, count, graded }] : []
    }),
  )
  const times = buckets.map(({ time }) => time)
  const [only, ...others] = all
  if (only === undefined || buckets.length === 0) return null
  if (others.length === 0) return only
  const coarsest = Math.max(...all.map(({ bucketSeconds }) => bucketSeconds))
  const fitting = bucketsFor(Math.min(...times), Math.max(...times))
  const merged = fitting.bucketSeconds >= coarsest ? fitting : bucketsOf(coarsest, times)
  for (const { time, count, graded } of buckets) {
    const bucket = Math.floor((time - merged.start) / (merged.bucketSeconds * 1000))
    merged.counts[bucket] = (merged.counts[bucket] ?? 0) + count
    for (const [severity, counts] of merged.bySeverity.entries())
      counts[bucket] = (counts[bucket] ?? 0) + (graded[severity] ?? 0)
  }
  return merged
}

const bucketsOf = (bucketSeconds: number, times: readonly number[]): Histogram => {
  const length = bucketSeconds * 1000
  const start = Math.floor(Math.min(...times) / length) * length
  const buckets = Math.floor((Math.max(...times) - start) / length) + 1
  return emptyHistogram({ start, bucketSeconds, buckets })
}

type Ranked = { found: FoundEntry; rank: SharedRank }

const compare = (left: Ranked, right: Ranked): number =>
  compareRanks(left.rank, right.rank) || (left.rank.shard < right.rank.shard ? -1 : 1)

export type MergedResult = Omit<SearchResult, 'next'> & { next: SharedRank | null }

/** One page of the results of several stores, each with up to `limit` entries. Facet values beyond the hundred that a store returns are estimates. */
export const mergeResults = (
  results: readonly ShardResult[],
  { limit, order }: { limit: number; order: Order },
): MergedResult => {
  const ranked = results
    .flatMap(({ shard, result }) =>
      result.entries.map(
        (found): Ranked => ({ found, rank: { ...rankOfEntry(found.entry, found.score, order), shard } }),
      ),
    )
    .toSorted(compare)
  const shown = ranked.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = ranked.length > limit || results.some(({ result }) => result.next !== null)
  const all = results.map(({ result }) => result)
  const facets = all.map((result) => result.facets).filter((one) => one !== null)
  return {
    entries: shown.map(({ found }) => found),
    total: all.reduce((sum, { total }) => sum + total, 0),
    totalIsExact: all.every(({ totalIsExact }) => totalIsExact),
    facets: facets.length > 0 ? mergeFacets(facets) : null,
    histogram: mergeHistograms(all.map(({ histogram }) => histogram).filter((one) => one !== null)),
    next: hasMore && last ? last.rank : null,
  }
}

/** The sum of the word counts of several stores. */
export const addStatistics = <S extends { documents: number; words: number; frequencies: ReadonlyMap<string, number> }>(
  all: readonly S[],
) => {
  const frequencies = new Map<string, number>()
  for (const statistics of all)
    for (const [word, count] of statistics.frequencies) frequencies.set(word, (frequencies.get(word) ?? 0) + count)
  return {
    documents: all.reduce((sum, { documents }) => sum + documents, 0),
    words: all.reduce((sum, { words }) => sum + words, 0),
    frequencies,
  }
}
