import { expect } from 'vitest'

/**
 * CPU time of this thread in microseconds, which excludes waiting for other processes. The minimum of several runs, because garbage collection
 * and compilation only ever add to it.
 */
const workOf = (run: () => unknown, rounds: number): number => {
  let min = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    min = Math.min(min, user + system)
  }
  return min
}

const step = 4
/** Allowed growth for four times the length: linear work takes 4 times as much, quadratic work 16 times. */
const maxGrowth = 10
/** Microseconds; less work is too little to measure growth. */
const minWork = 10_000

/**
 * Fails if work grows faster than the length of its input, such as with a pattern that backtracks. Lengths grow step by step, so that
 * superlinear work fails at the first length that shows it, without waiting for the longest.
 */
export const expectLinear = (what: string, work: (length: number) => unknown, longest = 1_048_576): void => {
  const lengths: number[] = []
  for (let length = longest; length >= 1_024; length = Math.floor(length / step)) lengths.unshift(length)
  let before = Number.POSITIVE_INFINITY
  for (const length of lengths) {
    const once = workOf(() => work(length), 1)
    const isSteep = (took: number) => took > maxGrowth * Math.max(before, minWork / step)
    const took = isSteep(once)
      ? Math.min(
          once,
          workOf(() => work(length), 2),
        )
      : once
    expect(isSteep(took), `${what}: ${took} µs of work for ${length}, ${before} µs for a ${step}th of it`).toBe(false)
    before = took
  }
}

/** Fails if work takes over `times` as long as other work, measured in the same run: bounded repetitions are linear and may still be slow. */
export const expectAtMostTimes = (times: number, what: string, run: () => unknown, reference: () => unknown): void => {
  const allowed = times * workOf(reference, 3)
  const once = workOf(run, 1)
  const took = once > allowed ? Math.min(once, workOf(run, 2)) : once
  expect(took, `${what}: µs of work, of ${allowed} allowed`).toBeLessThanOrEqual(allowed)
}
