import { ascending, median } from './statistics.ts'

/** Minimum number of prices for recognizing two groups. */
const fewestPrices = 10
/** Minimum share of the prices in the smaller group: fewer are outliers, not a second market. */
const smallerShare = 0.2
/** Minimum ratio of the groups' medians: closer prices are one market, however clearly they are separated. */
const leastRatio = 1.4

/**
 * Share of the variance between the two groups of the best split, above which one group is improbable. It is the 99 %
 * quantile of that share in samples of one uniform distribution, the widest with a single group; simulated with 20,000 samples
 * of each size from 8 to 200, and within 0.01 of them. Samples of normal and of exponential distributions stay below it.
 */
const improbable = (count: number): number => 0.75 + 0.64 / Math.sqrt(count)

/** The medians of two groups of prices, the lower first; null if the prices form one group. */
export type Modes = readonly [low: number, high: number]

/**
 * Recognizes a market with two prices, such as of a part and of the whole, or of two models under one name. Splits the
 * logarithms of the prices where the variance between the two groups is largest (Otsu, 1979).
 */
export const modesOf = (prices: readonly number[]): Modes | null => {
  const count = prices.length
  if (count < fewestPrices) return null
  const sorted = ascending(prices)
  const logs = sorted.map(Math.log)
  const total = logs.reduce((sum, value) => sum + value, 0)
  const spread = logs.reduce((sum, value) => sum + (value - total / count) ** 2, 0)
  const fewest = Math.max(3, Math.ceil(count * smallerShare))
  let best = { share: 0, at: 0 }
  let below = 0
  for (const [index, value] of logs.entries()) {
    below += value
    const left = index + 1
    if (left < fewest || count - left < fewest) continue
    const distance = below / left - (total - below) / (count - left)
    const share = spread === 0 ? 0 : (left * (count - left) * distance ** 2) / (count * spread)
    if (share > best.share) best = { share, at: left }
  }
  if (best.share <= improbable(count)) return null
  const [low, high] = [median(sorted.slice(0, best.at)), median(sorted.slice(best.at))]
  return high >= leastRatio * low ? [low, high] : null
}
