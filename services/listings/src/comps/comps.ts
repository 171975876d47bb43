import { createHash } from 'node:crypto'
import type { Sale } from '../records.ts'
import { type Modes, modesOf } from './modes.ts'
import { createRelevance, type Doubt, ownNounsOf, type Stratum, strata, type UnrelatedReason } from './relevance.ts'
import {
  ascending,
  type DatedPrice,
  type MedianInterval,
  median,
  medianInterval,
  quantile,
  weightedMedian,
  withoutLogOutliers,
} from './statistics.ts'

/** Lifetime of a market price, in milliseconds. */
export const compLifetime = 6 * 3_600_000
/** Lifetime of the finding that there are too few sales: it changes with the next sale. */
export const missLifetime = 30 * 60_000
/** Minimum number of sales for a median. */
export const fewestSales = 3
/** Outliers are trimmed from this many sales on. */
const trimFrom = 8
/** Prices beyond this many interquartile ranges from the quartiles are outliers. */
const outlierRanges = 1.5

/** How far a median can be relied on: its sample, its interval, and whether the sales have one price at all. */
export type Confidence = 'high' | 'medium' | 'low' | 'none'

/** The price of the sales of one condition; `lot` is several pieces at one price. */
export type StratumPrice = {
  readonly condition: Stratum
  readonly medianPrice: number | null
  readonly sampleCount: number
  readonly interval: MedianInterval | null
}

export type ExcludedReason = UnrelatedReason | 'for_parts' | 'lot' | 'other_currency' | 'outlier'

/** What is known about a median besides its sample. */
export type CompDetails = {
  readonly interval: MedianInterval | null
  readonly confidence: Confidence
  /** The medians of two groups of prices, if the sales have no single price. */
  readonly modes: Modes | null
  /** Median weighted by age: a sale counts half after 30 days. */
  readonly recentMedian: number | null
  readonly strata: readonly StratumPrice[]
  /** Sales that the median excludes, by reason. */
  readonly excluded: Readonly<Partial<Record<ExcludedReason, number>>>
}

/** Summary of completed sales. Amounts in major units of `currency`. */
export type MarketComp = {
  readonly medianPrice: number | null
  readonly quartiles: readonly [number, number] | null
  readonly sampleCount: number
  readonly currency: string | null
  /** Undefined for prices that were stored by older versions. */
  readonly details?: CompDetails | undefined
}

/** Key of a comp: MD5 of the query's exact UTF-8 text, in hex. */
export const queryHash = (query: string): string => createHash('md5').update(query, 'utf8').digest('hex')

/** When a comp fetched at `fetchedAt` expires: one without a median is looked up again sooner. */
export const expiresAt = (fetchedAt: Date, { medianPrice }: Pick<MarketComp, 'medianPrice'>): Date =>
  new Date(fetchedAt.getTime() + (medianPrice === null ? missLifetime : compLifetime))

const toCents = (amount: number): number => Math.round(amount * 100) / 100

const withoutOutliers = (sorted: readonly DatedPrice[]): readonly DatedPrice[] => {
  if (sorted.length < trimFrom) return sorted
  const prices = sorted.map(({ price }) => price)
  const [q1, q3] = [quantile(prices, 0.25), quantile(prices, 0.75)]
  const reach = outlierRanges * (q3 - q1)
  return sorted.filter(({ price }) => price >= q1 - reach && price <= q3 + reach)
}

/** The most common currency; sales in others are excluded, since nothing here converts currencies. */
const mainCurrency = (sales: readonly Sale[]): string | null => {
  const groups = [...Map.groupBy(sales, ({ currency }) => currency)]
  return groups.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null
}

type Judged = {
  readonly sale: Sale
  readonly stratum: Stratum | null
  readonly excluded: ExcludedReason | null
  readonly doubt: Doubt | null
}

/** Judges each sale by its title; one without a title cannot be judged and counts. */
const judgeSales = (sales: readonly Sale[], query: string): readonly Judged[] => {
  const relevance = createRelevance(query, ownNounsOf(sales.flatMap(({ title }) => (title ? [title] : []))))
  return sales.map((sale) => {
    if (!sale.title) return { sale, stratum: null, excluded: null, doubt: null }
    const judgement = relevance.judge(sale.title, sale.condition ?? null)
    return judgement.kind === 'unrelated'
      ? { sale, stratum: null, excluded: judgement.reason, doubt: null }
      : { sale, stratum: judgement.stratum, excluded: judgement.apart, doubt: judgement.doubt }
  })
}

/**
 * How a doubt about a sale is settled: the share of the median of whole things from which it counts as whole, and whether it does if there are too few of
 * these for a median. An accessory is more probable than a part, so it needs a price closer to theirs. Titles often omit a word of the query, so only a
 * price far below the median counts against them.
 */
const settled: Readonly<Record<Doubt, { readonly wholeFrom: number; readonly otherwise: boolean }>> = {
  part: { wholeFrom: 0.5, otherwise: true },
  accessory: { wholeFrom: 0.7, otherwise: false },
  other_words: { wholeFrom: 0.1, otherwise: true },
}

/** Whether a sale counts among the whole things that others are compared with. */
const isWhole = ({ excluded, doubt }: Judged): boolean =>
  excluded === null && (doubt === null || doubt === 'other_words')

/** Excludes the sales that may offer something other than the whole thing and have the price of that, compared with the others in their currency. */
const withoutDoubtful = (judged: readonly Judged[]): readonly Judged[] => {
  const wholes = Map.groupBy(judged.filter(isWhole), ({ sale }) => sale.currency)
  const medians = new Map(
    [...wholes].flatMap(([currency, all]) =>
      all.length < fewestSales ? [] : [[currency, median(all.map(({ sale }) => sale.price))] as const],
    ),
  )
  return judged.map((one) => {
    const { sale, doubt, excluded } = one
    if (doubt === null || excluded !== null) return one
    const { wholeFrom, otherwise } = settled[doubt]
    const typical = medians.get(sale.currency)
    const counts = typical === undefined ? otherwise : sale.price >= wholeFrom * typical
    return counts ? one : { ...one, stratum: null, excluded: doubt }
  })
}

const stratumPrice = (condition: Stratum, prices: readonly number[]): StratumPrice => {
  const sorted = ascending(withoutLogOutliers(prices))
  return {
    condition,
    medianPrice: sorted.length < fewestSales ? null : toCents(median(sorted)),
    sampleCount: sorted.length,
    interval: sorted.length < fewestSales ? null : medianInterval(sorted),
  }
}

/** Widest interval, relative to the median, and smallest sample for a confidence. */
const confidences = [
  { confidence: 'high', sales: 20, width: 0.2 },
  { confidence: 'medium', sales: 8, width: 0.5 },
] as const

const confidenceOf = (
  medianPrice: number | null,
  sales: number,
  interval: MedianInterval | null,
  modes: Modes | null,
): Confidence => {
  if (medianPrice === null) return 'none'
  if (modes !== null || interval === null) return 'low'
  const width = (interval.high - interval.low) / medianPrice
  return confidences.find((row) => sales >= row.sales && width <= row.width)?.confidence ?? 'low'
}

const countsOf = (reasons: readonly (ExcludedReason | null)[]): CompDetails['excluded'] =>
  Object.fromEntries(
    [...Map.groupBy(reasons, (reason) => reason)].flatMap(([reason, all]) =>
      reason === null ? [] : [[reason, all.length]],
    ),
  )

/**
 * Summary of the completed sales that are related to a query (see relevance.ts). With eight or more, prices beyond 1.5
 * interquartile ranges from the quartiles are trimmed. The sample is the rest; fewer than three have no median. With an even
 * number the median is the mean of the two middle values. Broken items and lots have strata of their own and do not count,
 * unless the query names them.
 */
export const summariseSales = (sales: readonly Sale[], query: string, now: Date): MarketComp => {
  const judged = withoutDoubtful(
    judgeSales(
      sales.filter(({ price }) => price > 0),
      query,
    ),
  )
  const related = judged.filter(({ excluded, stratum }) => excluded === null || stratum !== null)
  // Broken items and lots decide only where nothing else was sold.
  const whole = related.filter(({ excluded }) => excluded === null)
  const currency = mainCurrency((whole.length > 0 ? whole : related).map(({ sale }) => sale))
  const comparable = related.filter(({ sale }) => sale.currency === currency)
  const counted = comparable.flatMap(({ sale, excluded }) => (excluded === null ? [sale] : []))
  const sorted = counted.toSorted((a, b) => a.price - b.price)
  const trimmed = withoutOutliers(sorted)
  const prices = trimmed.map(({ price }) => price)
  const enough = prices.length >= fewestSales
  const medianPrice = enough ? toCents(quantile(prices, 0.5)) : null
  const interval = enough ? medianInterval(prices) : null
  const modes = modesOf(counted.map(({ price }) => price))
  const recent = weightedMedian(trimmed, now)
  const byStratum = Map.groupBy(comparable, ({ stratum }) => stratum)
  return {
    medianPrice,
    quartiles: enough ? [toCents(quantile(prices, 0.25)), toCents(quantile(prices, 0.75))] : null,
    sampleCount: prices.length,
    currency,
    details: {
      interval,
      confidence: confidenceOf(medianPrice, prices.length, interval, modes),
      modes: modes === null ? null : [toCents(modes[0]), toCents(modes[1])],
      recentMedian: !enough || recent === null ? null : toCents(recent),
      strata: strata.flatMap((condition) => {
        const group = byStratum.get(condition) ?? []
        return group.length === 0
          ? []
          : [
              stratumPrice(
                condition,
                group.map(({ sale }) => sale.price),
              ),
            ]
      }),
      excluded: countsOf([
        ...judged.map(({ excluded }) => excluded),
        ...related.map(({ sale, excluded }) =>
          excluded === null && sale.currency !== currency ? ('other_currency' as const) : null,
        ),
        ...Array.from({ length: sorted.length - trimmed.length }, () => 'outlier' as const),
      ]),
    },
  }
}
