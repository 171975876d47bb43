import { expect, test } from 'vitest'
import { bucketsFor } from '../search/histogram.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { findTrouble } from './trouble.ts'

const minute = 60_000
const day = 1_440 * minute
const start = Date.UTC(2026, 2, 1)

/** A search that counts errors by their times and returns no entries. */
const searchOver = (times: readonly number[]) => {
  let searches = 0
  const search = async ({ filters: { since = start, until = start + day } }: SearchRequest): Promise<SearchResult> => {
    searches += 1
    const found = times.filter((time) => time >= since && time < until)
    const histogram = found.length === 0 ? null : bucketsFor(Math.min(...found), Math.max(...found))
    for (const time of found) {
      const bucket = histogram ? Math.floor((time - histogram.start) / (histogram.bucketSeconds * 1000)) : 0
      if (histogram) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
    }
    return { entries: [], total: found.length, totalIsExact: true, facets: null, histogram, next: null }
  }
  return { search, searches: () => searches }
}

const peakOver = async (times: readonly number[]) => {
  const { search, searches } = searchOver(times)
  const filters = { since: start, until: start + day }
  const { onset } = await findTrouble(search, [{ query: null, filters, grade: 'error', isWhole: true }])
  return { peak: onset?.peak, searches: searches() }
}

const max = (times: readonly number[], seconds: number): number => {
  const counts = new Map<number, number>()
  for (const time of times) {
    const stretch = Math.floor(time / (seconds * 1000))
    counts.set(stretch, (counts.get(stretch) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

test('no other stretch of the same length has more errors than the peak', async () => {
  let seed = 11
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let round = 0; round < 40; round++) {
    const bursts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
      at: start + Math.floor(random() * (day - minute)),
      count: Math.floor(random() * 60),
    }))
    const times = [
      ...Array.from({ length: Math.floor(random() * 400) + 1 }, () => start + Math.floor(random() * day)),
      ...bursts.flatMap(({ at, count }) => Array.from({ length: count }, () => at + Math.floor(random() * minute))),
    ]
    const { peak, searches } = await peakOver(times)
    expect(peak?.count).toBe(max(times, peak?.seconds ?? 0))
    expect(searches).toBeLessThan(10)
  }
})

test('the peak of one burst among few other errors is a minute', async () => {
  const rare = Array.from({ length: 24 }, (_, hour) => start + hour * 60 * minute)
  const burst = Array.from({ length: 30 }, (_, index) => start + 651 * minute + index * 1_000)
  const { peak } = await peakOver([...rare, ...burst])
  expect(peak).toEqual({ time: start + 651 * minute, count: 30, seconds: 60 })
})

test('the worst minute is found outside the worst quarter of an hour', async () => {
  const even = Array.from({ length: 45 }, (_, index) => start + 600 * minute + index * 20_000)
  const burst = Array.from({ length: 40 }, (_, index) => start + 700 * minute + index * 1_000)
  const { peak } = await peakOver([...even, ...burst])
  expect(peak).toEqual({ time: start + 700 * minute, count: 40, seconds: 60 })
})
