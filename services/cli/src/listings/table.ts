import type { ListingRest, ListingsSearchResponseRest, TrustScoreRest } from '@trellis/protos/edge/rest.ts'
import { trustOf } from '../trust.ts'

const titleCharacters = 60

const amounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const shorten = (text: string, characters: number): string => {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ')
  return line.length > characters ? `${line.slice(0, characters - 1)}…` : line
}

/** A score, or the range that it can have while signals are missing. */
const scoreOf = (score: TrustScoreRest | undefined): string => {
  if (score === undefined) return '?'
  const { composite_score: composite, score_is_partial: isPartial, score_range: range } = score
  return isPartial && range ? `${range.low}–${range.high}` : String(composite)
}

const priceOf = ({ price, price_high: high, currency }: ListingRest): string => {
  if (price === null) return '?'
  const amount = high === null ? amounts.format(price) : `${amounts.format(price)}–${amounts.format(high)}`
  return `${amount} ${currency}`
}

const flagsOf = (score: TrustScoreRest | undefined): string =>
  score === undefined ? '' : [...score.hard_filters.map((flag) => `${flag}!`), ...score.soft_flags].join(' ')

/** Aligns columns; the last one is not padded. */
const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** The results of a search as text, the most trusted first: score, price, title and flags in a line, the address below. */
export const table = (answer: ListingsSearchResponseRest, limit: number): string => {
  const { listings, trust_scores: scores, market_price: market } = answer
  if (listings.length === 0) return 'Nothing was found.'
  const byTrust = listings.toSorted(
    (a, b) => trustOf(scores[b.platform_listing_id]) - trustOf(scores[a.platform_listing_id]),
  )
  const shown = byTrust.slice(0, limit)
  const lines = aligned([
    ['TRUST', 'PRICE', 'TITLE', 'FLAGS'],
    ...shown.map((listing) => {
      const score = scores[listing.platform_listing_id]
      return [scoreOf(score), priceOf(listing), shorten(listing.title, titleCharacters), flagsOf(score)]
    }),
  ])
  const [header = '', ...rows] = lines
  const currency = listings.find(({ price }) => price !== null)?.currency ?? ''
  return [
    header,
    ...rows.flatMap((row, index) => [row, `       ${shown[index]?.url ?? ''}`]),
    '',
    `${listings.length} listings${shown.length < listings.length ? `, ${shown.length} shown` : ''}. Market price: ${market === null ? 'unknown, too few completed sales' : `${amounts.format(market)} ${currency}, the median of completed sales`}.`,
  ].join('\n')
}
