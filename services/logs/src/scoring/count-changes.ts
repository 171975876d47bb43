/** What came before has to have been so many buckets before anything can stand out against it. */
export const minHistoryBuckets = 12

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** How far a count is from those before it, in their own spread; a count varies by its root even where nothing happens. */
const surpriseOf = (count: number, before: readonly number[]): { mean: number; deviation: number } => {
  const mean = sum(before) / before.length
  const variance = sum(before.map((value) => (value - mean) ** 2)) / before.length
  return { mean, deviation: (count - mean) / Math.sqrt(Math.max(variance, mean, 1)) }
}
/** 0 at no deviation, near 1 for one that never happens by chance. */
export const sureness = (deviation: number): number => 1 - Math.exp(-deviation / 6)

const minBurst = 10
const minDeviation = 6
const minTimes = 4
const minTimesPeak = 2
/** So many buckets before are compared with. */
const comparedBuckets = 144

/** The buckets in which a count is far above what it was before; of neighbours the first. */
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
    // What comes in bursts anyway has to outdo them.
    if (count < minTimesPeak * Math.max(...before)) continue
    found.push({ bucket, count, mean, deviation })
  }
  return found.filter(({ bucket }, index) => found[index - 1]?.bucket !== bucket - 1)
}

/** What came in so large a share of the buckets is expected in the next. */
const regularShare = 0.9
const minSilentBuckets = 3
const minExpected = 10

export type Silence = { silent: number; share: number; expected: number; count: number }
type Heard = { first: number; last: number; end: number; judgedFrom: number }

/** Whether what came regularly from one bucket up to and with another has not come since, up to but without the end. */
export const silenceOf = (counts: readonly number[], { first, last, end, judgedFrom }: Heard): Silence | undefined => {
  const silent = end - last - 1
  const heard = counts.slice(first, last + 1)
  if (silent < minSilentBuckets || heard.length < minHistoryBuckets || last + minSilentBuckets < judgedFrom)
    return undefined
  const count = sum(heard)
  const share = heard.filter((value) => value > 0).length / heard.length
  const expected = (count / heard.length) * silent
  return share < regularShare || expected < minExpected ? undefined : { silent, share, expected, count }
}

/** What is expected and does not come says most when it is missing, whatever its level: the surer the more of it. */
export const scoreOfSilence = (expected: number): number => Math.min(0.95, 0.5 + 0.45 * (1 - Math.exp(-expected / 50)))
