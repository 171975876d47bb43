import type { MarketComp } from './comps.ts'
import { median } from './statistics.ts'

/** Windows of a market price's history, in days. */
export const historyDays = [30, 90, 180] as const
export const historyWindow = 180
/** How long snapshots are stored, in days. */
export const snapshotLifetime = 400

/**
 * History that a judgement "good deal" needs: shorter histories do not show whether the price has been lower before. Five
 * weeks, and enough lookups in them.
 */
const enough = { days: 35, snapshots: 5 } as const
/** A good deal costs at most this share of the lowest daily median. */
const nearLowest = 1.05

/** Daily medians within a window. Null values without any. */
export type HistoryBand = {
  readonly days: number
  readonly medianPrice: number | null
  readonly lowest: number | null
  readonly highest: number | null
  readonly snapshots: number
  /** Whether the history is as long as the window. */
  readonly isCovered: boolean
}

export type CompHistory = {
  /** YYYY-MM-DD; null without any snapshot. */
  readonly firstOn: string | null
  readonly bands: readonly HistoryBand[]
  /** Up to this price an offer is a good deal; null if that cannot be judged. */
  readonly dealBelow: number | null
  /** Why a good deal cannot be judged; null if it can. */
  readonly dealUnknown: string | null
}

/** The market price of one day. */
export type Snapshot = { readonly takenOn: string; readonly medianPrice: number }

const day = 86_400_000
const daysSince = (date: string, now: Date): number => Math.floor((now.getTime() - Date.parse(date)) / day)
const toCents = (amount: number): number => Math.round(amount * 100) / 100

const bandOf = (days: number, snapshots: readonly Snapshot[], first: Snapshot | undefined, now: Date): HistoryBand => {
  const prices = snapshots
    .filter(({ takenOn }) => daysSince(takenOn, now) <= days)
    .map(({ medianPrice }) => medianPrice)
  return {
    days,
    medianPrice: prices.length === 0 ? null : toCents(median(prices)),
    lowest: prices.length === 0 ? null : Math.min(...prices),
    highest: prices.length === 0 ? null : Math.max(...prices),
    snapshots: prices.length,
    isCovered: first !== undefined && daysSince(first.takenOn, now) >= days,
  }
}

const weeks = (days: number): string => {
  const count = Math.max(1, Math.ceil(days / 7))
  return count === 1 ? '1 week' : `${count} weeks`
}

const whyUnknown = (snapshots: readonly Snapshot[], { medianPrice, details }: MarketComp, now: Date): string | null => {
  const [first] = snapshots
  if (medianPrice === null) return 'There are too few completed sales for a market price.'
  if (details !== undefined && details.modes !== null) return 'The completed sales have two prices, not one.'
  if (details?.confidence === 'low') return 'The completed sales are too few or too different for a reliable price.'
  const age = first === undefined ? 0 : daysSince(first.takenOn, now)
  if (age < enough.days)
    return `The price has been observed for too short a time: it needs ${weeks(enough.days - age)} more.`
  if (snapshots.length < enough.snapshots)
    return `The price has been looked up on only ${snapshots.length} days; it needs ${enough.snapshots}.`
  return null
}

/**
 * The history of a market price, from its daily snapshots in order. A good deal is at or below the first quartile of the
 * current sales and within 5 % of the lowest daily median, if the history is long enough to judge.
 */
export const historyFrom = (snapshots: readonly Snapshot[], comp: MarketComp, now: Date): CompHistory => {
  const [first] = snapshots
  const unknown = whyUnknown(snapshots, comp, now)
  const lowest = Math.min(...snapshots.map(({ medianPrice }) => medianPrice))
  return {
    firstOn: first?.takenOn ?? null,
    bands: historyDays.map((days) => bandOf(days, snapshots, first, now)),
    dealBelow:
      unknown !== null || comp.quartiles === null ? null : toCents(Math.min(comp.quartiles[0], nearLowest * lowest)),
    dealUnknown: unknown,
  }
}
