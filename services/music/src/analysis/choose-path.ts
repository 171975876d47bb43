import type { DecodedBars } from './bar-pointer.ts'

/** Which of several paths a linear model prefers, by the features of each; the first one unless the log odds against it are at least `minOdds`. */
export const choosePath = (
  paths: readonly [DecodedBars, ...DecodedBars[]],
  features: readonly (readonly number[])[],
  weights: readonly number[],
  minOdds: number,
): DecodedBars => {
  const odds = features.map((values) => values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0))
  const best = odds.indexOf(Math.max(...odds))
  return (odds[best] ?? 0) - (odds[0] ?? 0) >= minOdds ? (paths[best] ?? paths[0]) : paths[0]
}
