import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBitmap, setBit } from '../segments/bitmap.ts'
import { bucketColumnOf } from '../segments/count-columns.ts'
import { spansOf } from '../segments/time-spans.ts'
import { bucketsFor, countTimes } from './histogram.ts'
import { findAnew } from './keep-counts.ts'

const year = 365 * 86_400_000
/** Within seconds, within years, and so far apart that buckets have no column. */
const anyTimes = fc.oneof(
  ...[5_000, year, 60 * year, 250_000 * year].map((reach) =>
    fc.array(fc.record({ time: fc.integer({ min: -reach, max: reach }), isMatched: fc.boolean() }), { minLength: 1 }),
  ),
)

test('a histogram has each entry that matched in the bucket of its time, however far apart the others are', async () => {
  await fc.assert(
    fc.asyncProperty(anyTimes, async (entries) => {
      const times = Float64Array.from(entries, ({ time }) => time)
      const matched = createBitmap(entries.length)
      const wanted = entries.flatMap(({ time, isMatched }, document) => {
        if (isMatched) setBit(matched, document)
        return isMatched ? [time] : []
      })
      if (wanted.length === 0) return
      const histogram = bucketsFor(Math.min(...wanted), Math.max(...wanted))
      const part = { documents: times.length, firstTime: Math.min(...times), lastTime: Math.max(...times) }
      const timed = {
        ...part,
        times: async () => ({ times, spans: spansOf(times, times.length) }),
        buckets: async (length: number) => bucketColumnOf(times, part, length),
      }
      await countTimes(histogram, { part: timed, matched, total: wanted.length }, findAnew)
      const expected = new Array<number>(histogram.counts.length).fill(0)
      for (const time of wanted) {
        const bucket = Math.floor((time - histogram.start) / (histogram.bucketSeconds * 1000))
        expected[bucket] = (expected[bucket] ?? 0) + 1
      }
      expect(histogram.counts).toEqual(expected)
    }),
  )
})
