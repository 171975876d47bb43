import { createHash } from 'node:crypto'
import type { Sale } from '../records.ts'

/** Lifetime of a market price, in milliseconds. */
export const compLifetime = 6 * 3_600_000
/** Minimum number of sales for a median. */
export const fewestSales = 3
/** Outliers are trimmed from this many sales on. */
const trimFrom = 8
/** Prices beyond this many interquartile ranges from the quartiles are outliers. */
const outlierRanges = 1.5

/** Summary of completed sales. Amounts in major units of `currency`. */
export type MarketComp = {
  readonly medianPrice: number | null
  readonly quartiles: readonly [number, number] | null
  readonly sampleCount: number
  readonly currency: string | null
}

/** Key of a comp: MD5 of the query's exact UTF-8 text, in hex. */
export const queryHash = (query: string): string => createHash('md5').update(query, 'utf8').digest('hex')

/** When a comp fetched at `fetchedAt` expires. */
export const expiresAt = (fetchedAt: Date): Date => new Date(fetchedAt.getTime() + compLifetime)

/** Value at a fraction of sorted values, linear between neighbours (type 7 of Hyndman and Fan, 1996). */
const quantile = (sorted: readonly number[], fraction: number): number => {
  const position = (sorted.length - 1) * fraction
  const lower = sorted[Math.floor(position)] ?? 0
  const upper = sorted[Math.ceil(position)] ?? lower
  return lower + (upper - lower) * (position - Math.floor(position))
}

const toCents = (amount: number): number => Math.round(amount * 100) / 100

const withoutOutliers = (sorted: readonly number[]): readonly number[] => {
  if (sorted.length < trimFrom) return sorted
  const [q1, q3] = [quantile(sorted, 0.25), quantile(sorted, 0.75)]
  const reach = outlierRanges * (q3 - q1)
  return sorted.filter((price) => price >= q1 - reach && price <= q3 + reach)
}

/** The most common currency; sales in others are excluded, since nothing here converts currencies. */
const mainCurrency = (sales: readonly Sale[]): string | null => {
  const groups = [...Map.groupBy(sales, ({ currency }) => currency)]
  return groups.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null
}

/**
 * Median, quartiles and sample size of completed sales. With eight or more, prices beyond 1.5 interquartile ranges from the
 * quartiles are trimmed. The sample is the rest; fewer than three have no median. With an even number the median is the mean
 * of the two middle values.
 */
export const summariseSales = (sales: readonly Sale[]): MarketComp => {
  const currency = mainCurrency(sales)
  const prices = sales.filter((sale) => sale.currency === currency && sale.price > 0).map(({ price }) => price)
  const trimmed = withoutOutliers(prices.sort((a, b) => a - b))
  const enough = trimmed.length >= fewestSales
  return {
    medianPrice: enough ? toCents(quantile(trimmed, 0.5)) : null,
    quartiles: enough ? [toCents(quantile(trimmed, 0.25)), toCents(quantile(trimmed, 0.75))] : null,
    sampleCount: trimmed.length,
    currency,
  }
}
