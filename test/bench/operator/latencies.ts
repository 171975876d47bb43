import { round } from '../machine.ts'

/** The percentile of the values, with `share` from 0 to 1. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `p50 12 ms, p90 20 ms, p99 31 ms` of values in milliseconds. */
export const inPercentiles = (values: readonly number[]): string =>
  [0.5, 0.9, 0.99].map((share) => `p${share * 100} ${round(percentile(values, share))} ms`).join(', ')
