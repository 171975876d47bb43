import { bucketsFor, type TimeCounts } from '../search/histogram.ts'

/** When trouble began and when it was worst. Times are epoch milliseconds. */
export type Onset = {
  /** The start of the stretch in which errors first came in the number of the burst, else at all. */
  began: number
  /** The densest stretch of those that were counted: no other of its length has more. */
  peak: Stretch
  /** Whether errors came in a burst, rather than all the time. */
  isBurst: boolean
}

/** `count` errors from `time` on, for so many seconds. */
export type Stretch = { time: number; count: number; seconds: number }

/** A burst has at least this many errors in its densest stretch ... */
const minInBurst = 5
/** ... and this many times what is usual. */
const timesUsual = 4

const median = (counts: readonly number[]): number =>
  counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0

/** A stretch is no shorter: who reads of it thinks in minutes. */
export const shortestStretchSeconds = 60

/** Counts as stretches of a minute where they are finer, else as they are; without those of none. All lengths below a minute divide it. */
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

/** The one with most; the earliest of several. */
export const densestOf = (stretches: readonly Stretch[]): Stretch | undefined =>
  stretches.reduce<Stretch | undefined>(
    (max, stretch) =>
      !max || stretch.count > max.count || (stretch.count === max.count && stretch.time < max.time) ? stretch : max,
    undefined,
  )

/**
 * Counts over the whole span that was looked at, quiet times included, in stretches of a minute at least: a search counts from the first match
 * to the last alone, and then a burst looks like what is usual. Times are epoch milliseconds; a stretch counts where its middle falls.
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
 * Where errors begin, from how many there are in each stretch of time. A burst is a stretch with at least five, and four times the median of
 * all; it began with the first stretch of an unbroken run up to the densest one that is itself above what is usual. Undefined without errors.
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
