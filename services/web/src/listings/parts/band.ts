export type Band = { low: number; high: number; median: number; prices: number[] }

/** Quantile of sorted values. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

/**
 * Places of prices on a line from 0 to 1: the middle half of completed sales, their median, and the prices of the results. The line spans the sales
 * and all but the most extreme results, which are drawn at its ends.
 */
export const bandOf = (
  median: number | null,
  quartiles: readonly number[] | undefined,
  prices: readonly number[],
): Band | undefined => {
  if (median === null || median <= 0) return undefined
  const [low = median, high = median] = quartiles ?? []
  const sorted = prices.filter((price) => price > 0).toSorted((a, b) => a - b)
  const start = Math.min(low, quantile(sorted, 0.05) || low) * 0.95
  const end = Math.max(high, quantile(sorted, 0.95) || high) * 1.05
  const at = (price: number) => Math.min(1, Math.max(0, (price - start) / (end - start)))
  return { low: at(low), high: at(high), median: at(median), prices: sorted.map(at) }
}
