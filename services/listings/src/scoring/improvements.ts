import { grouped, money, percent, plural } from '../formatting.ts'
import type { Listing, Seller } from '../records.ts'
import {
  accountDays,
  type MarketPrice,
  priceRatio,
  type SignalName,
  type SignalScores,
  shareOf,
  signalNames,
} from './signals.ts'
import * as at from './thresholds.ts'

/** What would raise a score, and the composite score that results. */
export type Improvement = {
  readonly signal: SignalName | 'established_bad_actor'
  readonly text: string
  readonly composite_score: number
}

type Input = {
  readonly listing: Listing
  readonly seller: Seller | undefined
  readonly signals: SignalScores
  readonly market: MarketPrice | null
  readonly now: Date
}

/** A condition and the points that its signal earns when it is met. */
type Step = { readonly text: string; readonly points: number }

type Steps = Parameters<typeof at.pointsFor>[1]
/** The next threshold above a value. */
const next = (
  value: number,
  { steps, beyond }: Steps,
): { readonly limit: number; readonly points: number } | undefined => {
  const index = steps.findIndex(({ below }) => value < below)
  const step = steps[index]
  return step === undefined ? undefined : { limit: step.below, points: steps[index + 1]?.points ?? beyond }
}
const topOf = ({ steps }: Steps): number => steps.at(-1)?.below ?? 0

const countStep = (
  value: number | null,
  steps: Steps,
  words: { readonly unknown: (top: number) => string; readonly known: (missing: number, limit: number) => string },
): Step | undefined => {
  if (value === null) return { text: words.unknown(topOf(steps)), points: at.pointsPerSignal }
  const found = next(value, steps)
  return found && { text: words.known(Math.ceil(found.limit - value), found.limit), points: found.points }
}

const priceStep = ({ listing, market, signals }: Input): Step | undefined => {
  const ratio = priceRatio(listing, market)
  if (ratio === null || market === null || signals.price_vs_market === null) return undefined
  const { steps, usual, usualUpTo } = at.priceVsMarket
  // Rounded towards the points, so that the price of the sentence earns them.
  const price = (share: number, round: (cents: number) => number) =>
    `${money(round(shareOf(market.median * share * 100, 1)) / 100, market.currency)} (${percent(share)} of the market price)`
  if (ratio > usualUpTo) return { text: `The price falls to ${price(usualUpTo, Math.floor)} or less.`, points: usual }
  const index = steps.findIndex(({ below }) => ratio < below)
  const step = steps[index]
  return (
    step && { text: `The price is ${price(step.below, Math.ceil)} or more.`, points: steps[index + 1]?.points ?? usual }
  )
}

const nextSteps: Readonly<Record<SignalName, (input: Input) => Step | undefined>> = {
  account_age: ({ seller, now }) =>
    countStep(accountDays(seller, now), at.accountAge, {
      unknown: (top) => `The seller's account proves to be at least ${plural(top, 'day')} old.`,
      known: (missing, limit) =>
        `The seller's account becomes ${plural(limit, 'day')} old, in ${plural(missing, 'day')}.`,
    }),
  feedback_count: ({ seller }) =>
    countStep(seller?.feedbackCount ?? null, at.feedbackCount, {
      unknown: (top) => `The seller proves to have at least ${plural(top, 'feedback')}.`,
      known: (missing, limit) => `The seller receives ${grouped(missing)} more, and has ${plural(limit, 'feedback')}.`,
    }),
  feedback_ratio: ({ seller, signals }) => {
    // Without feedback there is no share that could rise.
    const isShown = signals.feedback_ratio !== null && seller?.feedbackCount !== 0
    const ratio = isShown ? (seller?.feedbackRatio ?? null) : null
    if (ratio === null)
      return {
        text: `At least ${percent(topOf(at.feedbackRatio))} of the seller's feedback proves to be positive.`,
        points: at.pointsPerSignal,
      }
    const found = next(ratio, at.feedbackRatio)
    return (
      found && {
        text: `The share of positive feedback rises from ${percent(ratio)} to ${percent(found.limit)}.`,
        points: found.points,
      }
    )
  },
  price_vs_market: priceStep,
  category_history: ({ seller }) => {
    const counts = Object.values(seller?.categoryHistory ?? {})
    const total = counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
    return countStep(total, at.categoryHistory, {
      unknown: (top) => `The seller proves to have at least ${plural(top, 'listing')} in the counted categories.`,
      known: (missing, limit) =>
        `${plural(missing, 'more listing')} of the seller ${missing === 1 ? 'is' : 'are'} found, ${limit} in total.`,
    })
  },
}

/**
 * What would raise a score: for each signal below its maximum, the next threshold and the resulting composite; the largest
 * gain first. `compose` computes the composite of other signals.
 */
export const improvementsFor = (
  input: Input,
  composite: number,
  compose: (signals: SignalScores) => number,
): readonly Improvement[] =>
  signalNames
    .flatMap((signal) => {
      if (input.signals[signal] === at.pointsPerSignal || input.seller === undefined) return []
      const step = nextSteps[signal](input)
      if (step === undefined) return []
      const raised = compose({ ...input.signals, [signal]: step.points })
      return raised > composite ? [{ signal, text: step.text, composite_score: raised }] : []
    })
    .sort((a, b) => b.composite_score - a.composite_score)
