import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBitmap, setBit } from '../segments/bitmap.ts'
import { createByteCache, createMemoizer } from '../segments/byte-cache.ts'
import { bucketColumnOf } from '../segments/count-columns.ts'
import { columnOf } from '../segments/number-column.ts'
import { spansOf } from '../segments/time-spans.ts'
import { withoutCache } from './cache-counts.ts'
import { bucketsFor, countTimes, type Histogram } from './histogram.ts'

const year = 365 * 86_400_000
/** Times within seconds, within years, and so far apart that buckets have no column. */
const anyTimes = fc.oneof(
  ...[5_000, year, 60 * year, 250_000 * year].map((reach) =>
    fc.array(fc.record({ time: fc.integer({ min: -reach, max: reach }), isMatched: fc.boolean() }), { minLength: 1 }),
  ),
)

/** Counts each entry in the bucket of its time. */
const naive = ({ counts, start, bucketSeconds }: Histogram, times: readonly number[]): number[] => {
  const expected = new Array<number>(counts.length).fill(0)
  for (const time of times) {
    const bucket = Math.floor((time - start) / (bucketSeconds * 1000))
    expected[bucket] = (expected[bucket] ?? 0) + 1
  }
  return expected
}

test('a histogram counts each match in the bucket of its time, also if other buckets were cached', async () => {
  await fc.assert(
    fc.asyncProperty(anyTimes, fc.integer({ min: 0, max: 60 * year }), async (entries, wider) => {
      const times = Float64Array.from(entries, ({ time }) => time)
      const matched = createBitmap(entries.length)
      const matchedTimes = entries.flatMap(({ time, isMatched }, document) => {
        if (isMatched) setBit(matched, document)
        return isMatched ? [time] : []
      })
      if (matchedTimes.length === 0) return
      const part = { documents: times.length, firstTime: Math.min(...times), lastTime: Math.max(...times) }
      const timed = {
        ...part,
        times: async () => ({ times: columnOf(times), spans: spansOf(columnOf(times), times.length) }),
        buckets: async (length: number) => bucketColumnOf(columnOf(times), part, length),
      }
      const match = { part: timed, total: matchedTimes.length, reach: async () => ({ matched }) }
      const memoize = createMemoizer(createByteCache(1e6).shelf())
      const [first, last] = [Math.min(...matchedTimes), Math.max(...matchedTimes)]
      for (const way of [withoutCache, memoize, memoize]) {
        for (const more of [0, wider, 0]) {
          const histogram = bucketsFor(first - more, last + more)
          const expected = naive(histogram, matchedTimes)
          await countTimes(histogram, match, way)
          expect(histogram.counts).toEqual(expected)
        }
      }
    }),
    propertyRuns(),
  )
})
