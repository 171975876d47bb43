import { type Bitmap, documentsOf } from '../segments/bitmap.ts'
import { countNumbers } from '../segments/count-columns.ts'
import type { Part } from '../segments/part.ts'

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

/** Counts matched documents of a part, all of whose times the histogram covers. */
export const countTimes = async (
  histogram: Histogram,
  part: Pick<Part, 'firstTime' | 'lastTime' | 'times' | 'buckets'>,
  { matched, total }: { matched: Bitmap; total: number },
): Promise<void> => {
  const { start, counts } = histogram
  const length = histogram.bucketSeconds * 1000
  const bucketOf = (time: number) => Math.floor((time - start) / length)
  const first = bucketOf(part.firstTime)
  if (first === bucketOf(part.lastTime)) {
    counts[first] = (counts[first] ?? 0) + total
    return
  }
  const column = await part.buckets(length)
  const found = column
    ? countNumbers(matched, column.bucketOf, { first: -bucketOf(column.start), distinct: counts.length })
    : countEach(matched, (await part.times()).times, bucketOf)
  found.forEach((count, bucket) => {
    counts[bucket] = (counts[bucket] ?? 0) + count
  })
}

const countEach = (matched: Bitmap, times: Float64Array, bucketOf: (time: number) => number): number[] => {
  const counts: number[] = []
  for (const document of documentsOf(matched)) {
    const bucket = bucketOf(times[document] ?? 0)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}
