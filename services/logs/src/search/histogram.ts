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

/** `extent` bounds the times: documents that can only be in one bucket are not looked at. */
export const countTimes = (
  histogram: Histogram,
  documents: Uint32Array,
  times: Float64Array,
  extent: { firstTime: number; lastTime: number },
): void => {
  const { start, counts } = histogram
  const length = histogram.bucketSeconds * 1000
  const bucketOf = (time: number) => Math.floor((time - start) / length)
  const first = bucketOf(extent.firstTime)
  if (first === bucketOf(extent.lastTime) && first >= 0 && first < counts.length) {
    counts[first] = (counts[first] ?? 0) + documents.length
    return
  }
  const found = new Uint32Array(counts.length)
  for (let index = 0; index < documents.length; index++) {
    const bucket = Math.floor(((times[documents[index] ?? 0] ?? 0) - start) / length)
    found[bucket] = (found[bucket] ?? 0) + 1
  }
  for (let bucket = 0; bucket < counts.length; bucket++) counts[bucket] = (counts[bucket] ?? 0) + (found[bucket] ?? 0)
}
