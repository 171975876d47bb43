import { severities } from '../entries/severity-code.ts'
import { releaseBuffer } from '../release-buffers.ts'
import { type Bitmap, documentsOf } from '../segments/bitmap.ts'
import { countNumbers } from '../segments/count-columns.ts'
import { type NumberColumn, numberAt } from '../segments/number-column.ts'
import type { Memoize, Part } from '../segments/part.ts'
import { isCached } from './cache-counts.ts'

/** Numbers of entries over time. `start` is epoch milliseconds; a bucket is `bucketSeconds` long. */
export type TimeCounts = { start: number; bucketSeconds: number; counts: number[] }

export type Histogram = TimeCounts & {
  /** Counts of the same buckets by severity, in the order of `severities`. */
  bySeverity: number[][]
}

/** Bucket lengths that are easy to read: seconds, minutes, hours, days, weeks. */
const bucketLengths = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
]
const maxBuckets = 100
const week = 604_800

/** Empty buckets that cover both times, at most a hundred, aligned to their length in UTC. */
export const bucketsFor = (first: number, last: number): Histogram => {
  const seconds = (last - first) / 1000
  const fits = (length: number) =>
    Math.floor(last / (length * 1000)) - Math.floor(first / (length * 1000)) + 1 <= maxBuckets
  const bucketSeconds = bucketLengths.find(fits) ?? Math.ceil(seconds / week / (maxBuckets - 1)) * week
  const start = Math.floor(first / (bucketSeconds * 1000)) * bucketSeconds * 1000
  const buckets = Math.floor((last - start) / (bucketSeconds * 1000)) + 1
  return emptyHistogram({ start, bucketSeconds, buckets })
}

export const emptyHistogram = ({
  buckets,
  ...grid
}: {
  start: number
  bucketSeconds: number
  buckets: number
}): Histogram => {
  const zeros = () => new Array<number>(buckets).fill(0)
  return { ...grid, counts: zeros(), bySeverity: severities.map(zeros) }
}

/** The matches of a part that are counted over time. */
export type TimedMatch = {
  part: Pick<Part, 'firstTime' | 'lastTime' | 'times' | 'buckets'>
  total: number
  reach: () => Promise<{ matched: Bitmap }>
}

/** Cached bucket lengths, in ms. Each divides the next and all longer bucket lengths, so that cached counts can be summed for those. */
const cachedLengths = [1, 5, 30, 300, 3600, 86_400, 604_800].map((seconds) => seconds * 1000)
const maxCachedBuckets = 512

/** The finest length in ms with which a part is counted, so that later histograms with coarser buckets can use the counts. */
const cachedLengthOf = ({ firstTime, lastTime }: TimedMatch['part']): number | undefined =>
  cachedLengths.find((length) => (lastTime - firstTime) / length < maxCachedBuckets)

/** Adds the matched documents of a part to a histogram, which must cover all their times. */
export const countTimes = async (histogram: TimeCounts, match: TimedMatch, memoize: Memoize): Promise<void> => {
  const { part, total } = match
  const bucketMilliseconds = histogram.bucketSeconds * 1000
  const bucketOf = (time: number) => Math.floor((time - histogram.start) / bucketMilliseconds)
  const add = (bucket: number, more: number) => {
    if (more > 0) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + more
  }
  if (bucketOf(part.firstTime) === bucketOf(part.lastTime)) {
    add(bucketOf(part.firstTime), total)
    return
  }
  const fine = isCached(memoize) ? cachedLengthOf(part) : undefined
  const stretches =
    fine !== undefined && bucketMilliseconds % fine === 0
      ? stretchesOver(part, fine)
      : { start: histogram.start, length: bucketMilliseconds, distinct: histogram.counts.length }
  const { start, counts } = await memoize(`times by ${stretches.length}`, async () => {
    const value = withoutEnds(await countStretches(match, stretches), stretches)
    return { value, bytes: value.counts.byteLength }
  })
  counts.forEach((count, index) => {
    add(bucketOf(start + index * stretches.length), count)
  })
}

/** Stretches that are aligned to their length in UTC. */
type Stretches = { start: number; length: number; distinct: number }

const stretchesOver = ({ firstTime, lastTime }: TimedMatch['part'], length: number): Stretches => {
  const start = Math.floor(firstTime / length) * length
  return { start, length, distinct: Math.floor((lastTime - start) / length) + 1 }
}

const countStretches = async (
  { part, reach }: TimedMatch,
  { start, length, distinct }: Stretches,
): Promise<Uint32Array> => {
  const [{ matched }, column] = await Promise.all([reach(), part.buckets(length)])
  const bucketOf = (time: number) => Math.floor((time - start) / length)
  return column
    ? countNumbers(matched, column.bucketOf, { first: -bucketOf(column.start), distinct })
    : countEach(matched, (await part.times()).times, { bucketOf, distinct })
}

/** Removes empty stretches at both ends, so that the counts fit histograms with other ends. */
const withoutEnds = (counts: Uint32Array, { start, length }: Stretches) => {
  const first = Math.max(
    0,
    counts.findIndex((count) => count > 0),
  )
  const end = counts.findLastIndex((count) => count > 0) + 1
  return { start: start + first * length, counts: counts.slice(first, end) }
}

const countEach = (
  matched: Bitmap,
  times: NumberColumn,
  { bucketOf, distinct }: { bucketOf: (time: number) => number; distinct: number },
): Uint32Array => {
  const counts = new Uint32Array(distinct)
  const documents = documentsOf(matched)
  for (const document of documents) {
    const bucket = bucketOf(numberAt(times, document))
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  releaseBuffer(documents)
  return counts
}
