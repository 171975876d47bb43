import { bucketsFor, type TimeCounts } from '../search/histogram.ts'

/** The beginning and the worst time of trouble. Times are epoch milliseconds. */
export type Onset = {
  /** The start of the burst; without one, of the first stretch with errors. */
  began: number
  /** The stretch with the most errors. */
  peak: Stretch
  /** Whether errors came in a burst rather than constantly. */
  isBurst: boolean
}

/** `count` errors within `seconds` from `time` on. */
export type Stretch = { time: number; count: number; seconds: number }

/** A burst has at least this many errors in its densest stretch, ... */
const minInBurst = 5
/** ... and at least this multiple of the median. */
const timesUsual = 4

const median = (counts: readonly number[]): number =>
  counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0

/** The minimum length of a stretch: readers think in minutes. */
export const shortestStretchSeconds = 60

/** Merges counts into stretches of at least a minute, without empty ones. Bucket lengths below a minute divide it. */
export const stretchesOf = ({ start, bucketSeconds, counts }: TimeCounts): Stretch[] => {
  const seconds = Math.max(shortestStretchSeconds, bucketSeconds)
  const summed = new Map<number, number>()
  counts.forEach((count, bucket) => {
    const time = start + bucket * bucketSeconds * 1000
    const begin = bucketSeconds < seconds ? Math.floor(time / (seconds * 1000)) * seconds * 1000 : time
    if (count > 0) summed.set(begin, (summed.get(begin) ?? 0) + count)
  })
  return [...summed].map(([time, count]) => ({ time, count, seconds }))
}

/** The stretch with the most errors; of several, the earliest. */
export const densestOf = (stretches: readonly Stretch[]): Stretch | undefined =>
  stretches.reduce<Stretch | undefined>(
    (max, stretch) =>
      !max || stretch.count > max.count || (stretch.count === max.count && stretch.time < max.time) ? stretch : max,
    undefined,
  )

/**
 * Extends counts to a whole span, quiet times included, in stretches of at least a minute: a search only counts from the first match to the last,
 * in which a burst would look usual. Times are epoch milliseconds; a bucket counts for the stretch that contains its middle.
 */
export const overSpan = (found: TimeCounts | null, first: number, last: number): TimeCounts | null => {
  if (!found) return null
  const from = Math.min(first, found.start)
  const to = Math.max(last, found.start + found.counts.length * found.bucketSeconds * 1000 - 1)
  const bucketSeconds = Math.max(shortestStretchSeconds, bucketsFor(from, to).bucketSeconds)
  const length = bucketSeconds * 1000
  const start = Math.floor(from / length) * length
  const counts = new Array<number>(Math.floor((to - start) / length) + 1).fill(0)
  found.counts.forEach((count, bucket) => {
    const middle = found.start + (bucket + 0.5) * found.bucketSeconds * 1000
    const at = Math.floor((middle - start) / length)
    counts[at] = (counts[at] ?? 0) + count
  })
  return { start, bucketSeconds, counts }
}

/**
 * Finds the onset of errors in their counts over time. A burst is a stretch with at least five errors, and at least four times the median; it began
 * with the first stretch of the unbroken run above the median that leads to the densest one. Undefined without errors.
 */
export const onsetOf = (errors: TimeCounts | null): Onset | undefined => {
  if (!errors) return undefined
  const { counts, start, bucketSeconds } = errors
  const max = Math.max(0, ...counts)
  if (max === 0) return undefined
  const timeOf = (bucket: number) => start + bucket * bucketSeconds * 1000
  const densest = counts.indexOf(max)
  const usual = median(counts)
  const isBurst = counts.length > 2 && max >= minInBurst && max >= timesUsual * Math.max(usual, 1)
  const peak = { time: timeOf(densest), count: max, seconds: bucketSeconds }
  if (!isBurst) return { began: timeOf(counts.findIndex((count) => count > 0)), peak, isBurst }
  let first = densest
  while (first > 0 && (counts[first - 1] ?? 0) > usual) first -= 1
  return { began: timeOf(first), peak, isBurst }
}
