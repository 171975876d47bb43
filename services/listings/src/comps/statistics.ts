/** Value at a fraction of sorted values, linear between neighbours (type 7 of Hyndman and Fan, 1996). */
export const quantile = (sorted: readonly number[], fraction: number): number => {
  const position = (sorted.length - 1) * fraction
  const lower = sorted[Math.floor(position)] ?? 0
  const upper = sorted[Math.ceil(position)] ?? lower
  return lower + (upper - lower) * (position - Math.floor(position))
}

export const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)
export const median = (values: readonly number[]): number => quantile(ascending(values), 0.5)

/** An interval that contains the true median with at least this probability (0 to 1). */
export type MedianInterval = { readonly low: number; readonly high: number; readonly level: number }

/**
 * Distribution-free interval of the median: the narrowest pair of order statistics, symmetric by rank, that covers the median
 * of the population with the desired probability, whatever the distribution of prices. `level` is the probability that the
 * pair covers it. Null if there are too few values for any pair: fewer than six for 95 %.
 */
export const medianInterval = (sorted: readonly number[], desired = 0.95): MedianInterval | null => {
  const count = sorted.length
  // The pair of the ranks k and n + 1 - k misses the median with probability 2 * P(Binomial(n, 1/2) < k).
  let term = 0.5 ** count
  let tail = 0
  let best: MedianInterval | null = null
  for (let rank = 1; 2 * rank <= count; rank++) {
    tail += term
    const [low, high, level] = [sorted[rank - 1], sorted[count - rank], 1 - 2 * tail]
    if (level < desired || low === undefined || high === undefined) break
    best = { low, high, level }
    term = (term * (count - rank + 1)) / rank
  }
  return best
}

/** Scales the median absolute deviation to the standard deviation of a normal distribution. */
const normal = 0.6745
/** Modified z-score beyond which a value is an outlier (Iglewicz and Hoaglin, 1993). */
const outlierScore = 3.5

/**
 * Drops outliers by the median absolute deviation of the logarithms: prices err by factors, not by amounts. Keeps everything
 * if more than half of the prices are equal, since the deviation is 0 then.
 */
export const withoutLogOutliers = (prices: readonly number[]): readonly number[] => {
  const logs = prices.map(Math.log)
  const centre = median(logs)
  const deviation = median(logs.map((value) => Math.abs(value - centre)))
  if (deviation === 0) return prices
  return prices.filter((_, index) => (normal * Math.abs((logs[index] ?? centre) - centre)) / deviation <= outlierScore)
}

const half = 0.5
const millisecondsOfDay = 86_400_000
/** Age at which a sale counts half, in days. */
const halfLife = 30

export type DatedPrice = { readonly price: number; readonly soldOn: string | null }

/** Weight of a sale by its age; one without a date counts as one half-life old. */
export const recencyWeight = (soldOn: string | null, now: Date): number => {
  const age = soldOn === null ? halfLife : Math.max(0, (now.getTime() - Date.parse(soldOn)) / millisecondsOfDay)
  return half ** (age / halfLife)
}

/** Median by weight: half of the total weight lies on either side. The mean of two values if the half falls between them. */
export const weightedMedian = (sales: readonly DatedPrice[], now: Date): number | null => {
  const sorted = sales
    .map(({ price, soldOn }) => ({ price, weight: recencyWeight(soldOn, now) }))
    .sort((a, b) => a.price - b.price)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  let below = 0
  for (const [index, { price, weight }] of sorted.entries()) {
    below += weight
    if (Math.abs(below - total * half) < total * 1e-9) return (price + (sorted[index + 1]?.price ?? price)) / 2
    if (below > total * half) return price
  }
  return null
}
