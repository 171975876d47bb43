import { accountAge } from '../account-opening.ts'
import { amountOf, grouped, money, percent, plural } from '../formatting.ts'
import type { AccountOpening } from '../records.ts'
import { damageIn } from './damage.ts'
import { daysOnMarket, type FlagInput, type HardFilter, type SoftFlag } from './flags.ts'
import type { ScoringContext } from './scoring-context.ts'
import { knownRatio, type MarketPrice, priceRatio, type SignalName, signalNames } from './signals.ts'
import {
  highestPriceVariation,
  newAccountDays,
  retailerFeedback,
  youngAccountDays,
  zeroFeedbackCap,
} from './thresholds.ts'
import { wilsonLowerBound } from './wilson.ts'

/** One sentence that supports a signal or a flag, with its source and age. */
export type Evidence = {
  readonly signal: SignalName | HardFilter | SoftFlag | 'relisted' | 'seller_price'
  readonly text: string
  readonly source: 'seller record' | 'completed sales' | 'listing' | 'search results' | 'earlier searches' | 'blocklist'
  /** ISO 8601 UTC; null if unknown. */
  readonly as_of: string | null
}

type Input = FlagInput & {
  readonly hardFilters: readonly HardFilter[]
  readonly softFlags: readonly SoftFlag[]
  readonly context: ScoringContext
}

type Sentence = Omit<Evidence, 'signal' | 'as_of'> & { readonly as_of?: string | null }

const days = (count: number): string => plural(count, 'day')

const strataInWords: Readonly<Record<string, string>> = {
  new: 'new items',
  used: 'used items',
  for_parts: 'broken items',
  lot: 'lots',
}

/** What else is known about a market price: its interval, the price of the same condition, and whether the offer is a good deal. */
const marketSentences = (price: number, market: MarketPrice, stratum: string | null | undefined): readonly string[] => {
  const { interval, strata = [], dealBelow, currency } = market
  const same = strata.find(({ condition }) => condition === stratum)
  return [
    ...(interval
      ? [
          `The true median lies between ${amountOf(interval.low)} and ${money(interval.high, currency)} (${Math.floor(interval.level * 100)} %).`,
        ]
      : []),
    ...(same !== undefined && same.medianPrice !== null && same.medianPrice > 0
      ? [
          `It is ${percent(price / same.medianPrice)} of the median of ${plural(same.sampleCount, 'sale')} of ${strataInWords[same.condition] ?? same.condition}, ${money(same.medianPrice, currency)}.`,
        ]
      : []),
    ...(typeof dealBelow === 'number' && price <= dealBelow
      ? ['It is a good deal: below the cheapest quarter of the sales, and near the lowest price observed.']
      : []),
  ]
}

const priceSentence = ({ listing, context: { market, batch, stratum } }: Input): Sentence => {
  const ratio = priceRatio(listing, market)
  const variation = batch.priceVariation[listing.currency] ?? null
  const why =
    listing.price === null
      ? 'The price could not be read.'
      : listing.priceHigh !== null
        ? `The listing has a range of prices, ${listing.priceHigh === listing.price ? 'of which the marketplace shows one end' : `up to ${money(listing.priceHigh, listing.currency)}`}, so there is no single price to compare.`
        : market === null
          ? 'Too few completed sales for a market price.'
          : market.currency !== listing.currency
            ? `The market price is in ${market.currency}, the listing in ${listing.currency}.`
            : variation !== null && variation > highestPriceVariation
              ? `The results are too different to compare: their prices vary by ${percent(variation)} of their mean.`
              : market.modes
                ? `The completed sales have two prices, about ${money(market.modes[0], market.currency)} and ${money(market.modes[1], market.currency)}, so no single one is compared with.`
                : undefined
  if (why !== undefined || ratio === null || market === null || listing.price === null)
    return {
      text: why ?? 'There is no market price to compare with.',
      source: 'completed sales',
      as_of: market?.asOf ?? null,
    }
  return {
    text: [
      `${money(listing.price, listing.currency)} is ${percent(ratio)} of the median of ${plural(market.sampleCount, 'completed sale')}, ${money(market.median, market.currency)}.`,
      ...marketSentences(listing.price, market, stratum),
    ].join(' '),
    source: 'completed sales',
    as_of: market.asOf,
  }
}

const unknown = (what: string): Sentence => ({
  text: `${what} is not known yet.`,
  source: 'seller record',
  as_of: null,
})
const ofSeller = (text: string): Sentence => ({ text, source: 'seller record' })

/** Created once: creating it took more than half of the time of scoring. */
const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const exactDays = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const whenOpened = ({ earliest, latest }: AccountOpening): string => {
  if (earliest === latest) return `on ${exactDays.format(new Date(earliest))}`
  const isMonth = earliest.slice(0, 7) === latest.slice(0, 7)
  return `in ${isMonth ? months.format(new Date(earliest)) : earliest.slice(0, 4)}`
}

const agesOf = (opening: AccountOpening, now: Date): string => {
  const { atLeast, atMost } = accountAge(opening, now)
  return atLeast === atMost ? `is ${days(atMost)} old` : `is ${grouped(atLeast)} to ${days(atMost)} old`
}

const accountSentence = ({ seller, now }: Input): Sentence => {
  const opening = seller?.accountOpened ?? null
  return opening === null
    ? unknown("The age of the seller's account")
    : ofSeller(`The seller's account was opened ${whenOpened(opening)} and ${agesOf(opening, now)}.`)
}

/** An account that is, or may be, younger than a limit: mostly only the month of its opening is known, or the year. */
const youngSentence = (input: Input, limit: number, limitInWords: string): Sentence => {
  const opening = input.seller?.accountOpened ?? null
  if (opening === null) return accountSentence(input)
  const isCertain = accountAge(opening, input.now).atMost < limit
  return ofSeller(
    `The account was opened ${whenOpened(opening)}: it is ${isCertain ? '' : 'possibly '}less than ${limitInWords} old.`,
  )
}

/** What a share of positive feedback proves at least: little if there are few feedbacks. */
const atLeast = (ratio: number, count: number): string => {
  const bound = wilsonLowerBound(ratio, count)
  return bound === null ? '' : `: with ${plural(count, 'feedback')}, at least ${percent(bound)} (95 % confidence)`
}

const categoryWords: Readonly<Record<string, string>> = {
  ELECTRONICS: 'electronics',
  COMPUTERS_TABLETS: 'computers and tablets',
  VIDEO_GAMES: 'video games',
  CELL_PHONES: 'cell phones',
}

const signalSentences: Readonly<Record<SignalName, (input: Input) => Sentence>> = {
  account_age: accountSentence,
  feedback_count: ({ seller }) =>
    seller === undefined || seller.feedbackCount === null
      ? unknown("The seller's number of feedbacks")
      : ofSeller(`The seller has ${plural(seller.feedbackCount, 'feedback')}.`),
  feedback_ratio: ({ seller }) => {
    if (seller?.feedbackCount === 0) return ofSeller('The seller has no feedback yet.')
    const ratio = seller === undefined ? null : knownRatio(seller)
    return ratio === null
      ? unknown("The seller's share of positive feedback")
      : ofSeller(`${percent(ratio)} of the feedback is positive${atLeast(ratio, seller?.feedbackCount ?? 0)}.`)
  },
  price_vs_market: priceSentence,
  category_history: ({ seller, context: { provenance } }) => {
    const history = Object.entries(seller?.categoryHistory ?? {})
    if (history.length === 0) return unknown('What the seller usually sells')
    const inWords = history
      .map(([key, count]) => `${grouped(count)} in ${categoryWords[key] ?? key.toLowerCase()}`)
      .join(', ')
    return provenance.historySource === 'marketplace'
      ? ofSeller(`The seller lists ${inWords}.`)
      : {
          text: `Your searches have found listings of the seller: ${inWords}.`,
          source: 'earlier searches',
          as_of: provenance.historyAsOf,
        }
  },
}

const flagSentences: Readonly<Record<HardFilter | SoftFlag, (input: Input) => Sentence>> = {
  new_account: (input) => youngSentence(input, newAccountDays, 'a week'),
  established_bad_actor: ({ seller, context: { blocked } }) =>
    blocked === false
      ? ofSeller(
          `Only ${percent(seller?.feedbackRatio ?? 0)} of ${plural(seller?.feedbackCount ?? 0, 'feedback')} is positive.`,
        )
      : {
          text: `The seller is on the blocklist${blocked.reason ? `: ${blocked.reason}` : '.'}`,
          source: 'blocklist',
          as_of: null,
        },
  low_feedback: ({ seller }) => ofSeller(`The seller has only ${plural(seller?.feedbackCount ?? 0, 'feedback')}.`),
  zero_feedback: () => ofSeller(`The seller has no feedback; the score is capped at ${zeroFeedbackCap}.`),
  account_under_30_days: (input) => youngSentence(input, youngAccountDays, 'a month'),
  suspicious_price: priceSentence,
  duplicate_photo: ({ context: { photoMatch } }) =>
    photoMatch === undefined
      ? {
          text: `Another listing of these results shows the same first photo, and the seller has fewer than ${grouped(retailerFeedback)} feedbacks.`,
          source: 'search results',
        }
      : {
          text: `"${photoMatch.title}" (${photoMatch.platformListingId}) of another seller shows ${photoMatch.distance === 0 ? 'the same' : 'nearly the same'} photo, and this seller has fewer than ${grouped(retailerFeedback)} feedbacks.`,
          source: 'earlier searches',
          as_of: photoMatch.seenAt,
        },
  scratch_dent: ({ listing }) => {
    const inTitle = damageIn(listing.title)
    return {
      text: `The ${inTitle === undefined ? 'condition' : 'title'} contains "${inTitle ?? damageIn(listing.condition) ?? ''}".`,
      source: 'listing',
    }
  },
  long_on_market: ({ sightings, now }) => ({
    text: `Seen in ${sightings.timesSeen} searches over ${days(Math.floor(daysOnMarket(sightings, now)))}.`,
    source: 'earlier searches',
    as_of: sightings.firstSeenAt,
  }),
  significant_price_drop: ({ listing, sightings }) => ({
    text: `First seen at ${money(sightings.priceAtFirstSeen ?? 0, listing.currency)}, now ${money(listing.price ?? 0, listing.currency)}.`,
    source: 'earlier searches',
    as_of: sightings.firstSeenAt,
  }),
}

/** When the seller data behind a signal or a flag was read; those without a case of their own depend on feedback. */
const sellerAsOf = (signal: Evidence['signal'], { provenance }: ScoringContext): string | null => {
  if (signal === 'category_history') return provenance.historyAsOf
  return signal === 'account_age' || signal === 'new_account' || signal === 'account_under_30_days'
    ? provenance.accountAsOf
    : provenance.feedbackAsOf
}

const asOf = (signal: Evidence['signal'], sentence: Sentence, { context, now }: Input): string | null => {
  if (sentence.as_of !== undefined) return sentence.as_of
  return sentence.source === 'seller record' ? sellerAsOf(signal, context) : now.toISOString()
}

/** Factor by which a price differs from the seller's usual one when it is mentioned. */
const unusual = 3

/** Sentences about the listing among the others of its seller; none if nothing is remarkable. */
const comparisonSentences = ({ listing, context: { comparison } }: Input) => {
  const { relistingOf = null, usualPrice = null } = comparison ?? {}
  const factor = usualPrice === null || listing.price === null ? 1 : listing.price / usualPrice.median
  const isUnusual = usualPrice !== null && (factor >= unusual || factor <= 1 / unusual)
  return [
    ...(relistingOf === null
      ? []
      : [
          {
            signal: 'relisted' as const,
            sentence: {
              text: `The seller has listed the same ${relistingOf.by === 'title' ? 'title' : 'photo'} before, as ${relistingOf.id}: earlier prices and sightings do not count for this listing.`,
              source: 'earlier searches' as const,
              as_of: relistingOf.lastSeenAt,
            },
          },
        ]),
    ...(!isUnusual || listing.price === null
      ? []
      : [
          {
            signal: 'seller_price' as const,
            sentence: {
              text: `${money(listing.price, listing.currency)} is far ${factor > 1 ? 'above' : 'below'} the seller's usual price, ${money(usualPrice.median, listing.currency)}, the median of ${plural(usualPrice.count, 'other listing')}.`,
              source: 'earlier searches' as const,
            },
          },
        ]),
  ]
}

/** A sentence for every signal, including missing ones, for every raised flag, and for what is remarkable among the seller's listings. */
export const evidenceFor = (input: Input): readonly Evidence[] =>
  [
    ...signalNames.map((signal) => ({ signal, sentence: signalSentences[signal](input) })),
    ...comparisonSentences(input),
    ...[...input.hardFilters, ...input.softFlags].map((signal) => ({ signal, sentence: flagSentences[signal](input) })),
  ].map(({ signal, sentence }) => ({
    signal,
    text: sentence.text,
    source: sentence.source,
    as_of: asOf(signal, sentence, input),
  }))
