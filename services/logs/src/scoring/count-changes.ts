/** Minimum number of preceding buckets for a count to be compared with them. */
export const minHistoryBuckets = 12

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** How far a count deviates from those before it, in standard deviations; the variance is at least the mean, as of a Poisson process. */
const surpriseOf = (count: number, before: readonly number[]): { mean: number; deviation: number } => {
  const mean = sum(before) / before.length
  const variance = sum(before.map((value) => (value - mean) ** 2)) / before.length
  return { mean, deviation: (count - mean) / Math.sqrt(Math.max(variance, mean, 1)) }
}
/** Maps a deviation to a certainty: 0 for none, near 1 for one that chance alone does not explain. */
export const certaintyOf = (deviation: number): number => 1 - Math.exp(-deviation / 6)

const minBurst = 10
const minDeviation = 6
const minTimes = 4
const minTimesPeak = 2
/** A count is compared with this many preceding buckets. */
const comparedBuckets = 144

/** The buckets in which a count far exceeds those before it; of adjacent buckets only the first. */
export const burstsOf = (
  counts: readonly number[],
  judgedFrom: number,
): { bucket: number; count: number; mean: number; deviation: number }[] => {
  const found: ReturnType<typeof burstsOf> = []
  for (let bucket = Math.max(judgedFrom, minHistoryBuckets); bucket < counts.length; bucket++) {
    const count = counts[bucket] ?? 0
    if (count < minBurst) continue
    const before = counts.slice(Math.max(0, bucket - comparedBuckets), bucket)
    const { mean, deviation } = surpriseOf(count, before)
    if (deviation < minDeviation || count < minTimes * Math.max(mean, 1)) continue
    // If a template comes in bursts anyway, a new burst must exceed them.
    if (count < minTimesPeak * Math.max(...before)) continue
    found.push({ bucket, count, mean, deviation })
  }
  return found.filter(({ bucket }, index) => found[index - 1]?.bucket !== bucket - 1)
}

/** A template that occurred in this share of the buckets is expected in the next. */
const regularShare = 0.9
const minSilentBuckets = 3
const minExpected = 10

export type Silence = { silent: number; share: number; expected: number; count: number }
type Activity = { first: number; last: number; end: number; judgedFrom: number }

/** The silence of a template that occurred regularly from bucket `first` to `last` and not since, up to but excluding `end`. */
export const silenceOf = (
  counts: readonly number[],
  { first, last, end, judgedFrom }: Activity,
): Silence | undefined => {
  const silent = end - last - 1
  const active = counts.slice(first, last + 1)
  if (silent < minSilentBuckets || active.length < minHistoryBuckets || last + minSilentBuckets < judgedFrom)
    return undefined
  const count = sum(active)
  const share = active.filter((value) => value > 0).length / active.length
  const expected = (count / active.length) * silent
  return share < regularShare || expected < minExpected ? undefined : { silent, share, expected, count }
}

/** The score of a silence rises with the number of missing entries, whatever their level. */
export const scoreOfSilence = (expected: number): number => Math.min(0.95, 0.5 + 0.45 * (1 - Math.exp(-expected / 50)))
