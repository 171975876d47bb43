import { type Bitmap, documentsOf } from '../segments/bitmap.ts'
import { countNumbers } from '../segments/count-columns.ts'
import type { Keep, Part } from '../segments/part.ts'

/** How many entries there are in each stretch of time. `start` is epoch milliseconds; a bucket is `bucketSeconds` long. */
export type Histogram = { start: number; bucketSeconds: number; counts: number[] }

/** Lengths of buckets that people can read: seconds, minutes, hours, days, weeks. */
const bucketLengths = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
]
const mostBuckets = 100
const week = 604_800

/** Buckets that cover both moments, at most a hundred, aligned to their length in UTC. */
export const bucketsFor = (first: number, last: number): Histogram => {
  const seconds = (last - first) / 1000
  const fits = (length: number) =>
    Math.floor(last / (length * 1000)) - Math.floor(first / (length * 1000)) + 1 <= mostBuckets
  const bucketSeconds = bucketLengths.find(fits) ?? Math.ceil(seconds / week / (mostBuckets - 1)) * week
  const start = Math.floor(first / (bucketSeconds * 1000)) * bucketSeconds * 1000
  const buckets = Math.floor((last - start) / (bucketSeconds * 1000)) + 1
  return { start, bucketSeconds, counts: new Array<number>(buckets).fill(0) }
}

/** What is counted: what of a part matched. */
export type TimedMatch = {
  part: Pick<Part, 'firstTime' | 'lastTime' | 'times' | 'buckets'>
  matched: Bitmap
  total: number
}

/** Counts from the bucket that begins at `start` on. */
type Stretch = { start: number; counts: Uint32Array }

/** Counts matched documents of a part, all of whose times the histogram covers. */
export const countTimes = async (
  histogram: Histogram,
  { part, matched, total }: TimedMatch,
  keep: Keep,
): Promise<void> => {
  const { start, counts } = histogram
  const length = histogram.bucketSeconds * 1000
  const bucketOf = (time: number) => Math.floor((time - start) / length)
  const first = bucketOf(part.firstTime)
  if (first === bucketOf(part.lastTime)) {
    counts[first] = (counts[first] ?? 0) + total
    return
  }
  const stretch = await keep(`times by ${length}`, async () => {
    const column = await part.buckets(length)
    const found = column
      ? countNumbers(matched, column.bucketOf, { first: -bucketOf(column.start), distinct: counts.length })
      : countEach(matched, (await part.times()).times, { bucketOf, distinct: counts.length })
    const value = withoutEnds(found, start, length)
    return { value, bytes: value.counts.byteLength }
  })
  const offset = bucketOf(stretch.start)
  stretch.counts.forEach((count, bucket) => {
    counts[offset + bucket] = (counts[offset + bucket] ?? 0) + count
  })
}

/** Without the empty buckets at either end, so that it fits histograms that begin and end elsewhere. */
const withoutEnds = (counts: Uint32Array, start: number, length: number): Stretch => {
  const first = Math.max(
    0,
    counts.findIndex((count) => count > 0),
  )
  const end = counts.findLastIndex((count) => count > 0) + 1
  return { start: start + first * length, counts: counts.slice(first, end) }
}

const countEach = (
  matched: Bitmap,
  times: Float64Array,
  { bucketOf, distinct }: { bucketOf: (time: number) => number; distinct: number },
): Uint32Array => {
  const counts = new Uint32Array(distinct)
  for (const document of documentsOf(matched)) {
    const bucket = bucketOf(times[document] ?? 0)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}
