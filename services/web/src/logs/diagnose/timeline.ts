import type { TimelineLeftOutRest, TimelinePointRest } from '@trellis/protos/edge/client.ts'
import type { HistogramData } from '../../charts/stacks.ts'

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/**
 * The timeline of a diagnosis as a histogram. Its points are the buckets that have lines, at multiples of one length, which is found from their
 * distances. Undefined with fewer than two: a single bar shows no course.
 */
export const histogramOf = (
  points: readonly TimelinePointRest[],
  leftOut: TimelineLeftOutRest | null,
): HistogramData | undefined => {
  const [first] = points
  const times = points.map(({ time }) => Date.parse(time))
  const [start = 0] = times
  if (!first || times.length < 2) return undefined
  const length = times.map((time) => time - start).reduce(greatestCommonDivisor)
  const buckets = Math.round((Math.max(...times) - start) / length) + 1
  const errors = Array<number>(buckets).fill(0)
  const others = Array<number>(buckets).fill(0)
  points.forEach(({ count, errors: failed }, index) => {
    const bucket = Math.round(((times[index] ?? start) - start) / length)
    errors[bucket] = failed
    // Errors of the time are counted whether they have the words of the question or not.
    others[bucket] = Math.max(0, count - failed)
  })
  return {
    start: first.time,
    bucket_seconds: length / 1_000,
    counts: errors.map((failed, bucket) => failed + (others[bucket] ?? 0)),
    by_severity: { ERROR: errors, none: others },
    earlier: leftOut?.earlier ?? 0,
    later: leftOut?.later ?? 0,
  }
}
