import type { Listing, Seller } from '../records.ts'
import { damageIn } from './damage.ts'
import { accountDays, hasBadRatio, type SignalScores, shareOf } from './signals.ts'
import * as at from './thresholds.ts'

export type HardFilter = 'new_account' | 'established_bad_actor'
export type SoftFlag =
  | 'low_feedback'
  | 'zero_feedback'
  | 'account_under_30_days'
  | 'suspicious_price'
  | 'duplicate_photo'
  | 'scratch_dent'
  | 'long_on_market'
  | 'significant_price_drop'

/** Stored facts about a listing from earlier searches. */
export type Sightings = {
  readonly timesSeen: number
  readonly firstSeenAt: string | null
  readonly priceAtFirstSeen: number | null
}

export type FlagInput = {
  readonly listing: Listing
  readonly seller: Seller | undefined
  readonly signals: SignalScores
  readonly sightings: Sightings
  readonly hasDuplicatePhoto: boolean
  readonly now: Date
}

const day = 86_400_000

/** Days since a listing was first seen; 0 if it never was. */
export const daysOnMarket = ({ firstSeenAt }: Sightings, now: Date): number =>
  firstSeenAt === null ? 0 : (now.getTime() - Date.parse(firstSeenAt)) / day

export const isRetailer = (seller: Seller | undefined): boolean => (seller?.feedbackCount ?? 0) >= at.retailerFeedback

const hardRules: Readonly<Record<HardFilter, (input: FlagInput) => boolean>> = {
  new_account: ({ seller, now }) => isBelow(accountDays(seller, now), at.newAccountDays),
  established_bad_actor: ({ seller }) => seller !== undefined && hasBadRatio(seller),
}

const softRules: Readonly<Record<SoftFlag, (input: FlagInput) => boolean>> = {
  low_feedback: ({ seller }) => isBelow(seller?.feedbackCount, at.lowFeedbackBelow),
  zero_feedback: ({ seller }) => seller?.feedbackCount === 0,
  account_under_30_days: ({ seller, now }) => isBelow(accountDays(seller, now), at.youngAccountDays),
  suspicious_price: ({ signals }) => signals.price_vs_market === 0,
  duplicate_photo: ({ seller, hasDuplicatePhoto }) => hasDuplicatePhoto && !isRetailer(seller),
  scratch_dent: ({ listing }) => damageIn(listing.title) !== undefined || damageIn(listing.condition) !== undefined,
  long_on_market: ({ sightings, now }) =>
    sightings.timesSeen >= at.longOnMarket.timesSeen && daysOnMarket(sightings, now) >= at.longOnMarket.days,
  significant_price_drop: ({ listing: { price, priceHigh }, sightings: { priceAtFirstSeen: first } }) =>
    price !== null &&
    priceHigh === null &&
    first !== null &&
    first > 0 &&
    shareOf(price, first) < at.significantDropBelow,
}

const isBelow = (value: number | null | undefined, limit: number): boolean =>
  value !== null && value !== undefined && value < limit

const raised = <Flag extends string>(rules: Readonly<Record<Flag, (input: FlagInput) => boolean>>, input: FlagInput) =>
  (Object.keys(rules) as Flag[]).filter((flag) => rules[flag](input))

export const hardFiltersOf = (input: FlagInput): readonly HardFilter[] => raised(hardRules, input)
export const softFlagsOf = (input: FlagInput): readonly SoftFlag[] => raised(softRules, input)
