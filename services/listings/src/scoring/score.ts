import type { Listing, Seller } from '../records.ts'
import { type Evidence, evidenceFor } from './evidence.ts'
import { type FlagInput, type HardFilter, hardFiltersOf, type SoftFlag, softFlagsOf } from './flags.ts'
import { type Improvement, improvementsFor } from './improvements.ts'
import type { ScoringContext } from './scoring-context.ts'
import { type SignalScores, signalNames, signalsOf } from './signals.ts'
import { pointsPerSignal, zeroFeedbackCap } from './thresholds.ts'

/** A trust score before it is stored, which adds its ids and preserves an earlier photo analysis. */
export type TrustScore = {
  readonly compositeScore: number
  readonly signalScores: SignalScores
  readonly hardFilters: readonly HardFilter[]
  readonly softFlags: readonly SoftFlag[]
  /** Whether any signal is missing. */
  readonly scoreIsPartial: boolean
  /** The composite with the missing signals at their minimum and at their maximum. */
  readonly scoreRange: { readonly low: number; readonly high: number }
  readonly evidence: readonly Evidence[]
  /** What would raise the score; missing in scores from before it was computed. */
  readonly improvements?: readonly Improvement[]
  readonly photoHashDuplicate: boolean
  /** ISO 8601 UTC. */
  readonly scoredAt: string
}

/** Percentage of the attainable points, halves rounded up; computed in integers, so that halves are exact. */
const percentOf = (points: number, signals: number): number =>
  signals === 0 ? 0 : Math.floor((200 * points + pointsPerSignal * signals) / (2 * pointsPerSignal * signals))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Composite and range of the signals; capped for a seller without feedback. */
const composed = (signals: SignalScores, hasNoFeedback: boolean) => {
  const known = signalNames.flatMap((name) => signals[name] ?? [])
  const missing = signalNames.length - known.length
  const capped = (score: number) => (hasNoFeedback ? Math.min(score, zeroFeedbackCap) : score)
  return {
    composite: capped(percentOf(sum(known), known.length)),
    low: capped(percentOf(sum(known), signalNames.length)),
    high: capped(percentOf(sum(known) + missing * pointsPerSignal, signalNames.length)),
  }
}

const unblocked = (composite: number): Improvement => ({
  signal: 'established_bad_actor',
  text: 'The seller is removed from the blocklist.',
  composite_score: composite,
})

/**
 * Scores one listing. Hard filters do not lower the composite themselves; the blocklist sets it to 0 and replaces all flags,
 * while the signals remain visible. Pure: the same input always produces the same score.
 */
export const scoreListing = (listing: Listing, seller: Seller | undefined, context: ScoringContext): TrustScore => {
  const { now, market, batch, sightings, blocked, photoMatch } = context
  const priceVariation = batch.priceVariation[listing.currency] ?? null
  const signals = signalsOf(listing, seller, { market, priceVariation, now })
  const hasDuplicatePhoto = photoMatch !== undefined || batch.duplicatePhotos.includes(listing.platformListingId)
  const input: FlagInput = { listing, seller, signals, sightings, hasDuplicatePhoto, now }
  const hasNoFeedback = seller?.feedbackCount === 0
  const { composite, low, high } = composed(signals, hasNoFeedback)
  const hardFilters = blocked === false ? hardFiltersOf(input) : (['established_bad_actor'] as const)
  const softFlags = blocked === false ? softFlagsOf(input) : []
  return {
    compositeScore: blocked === false ? composite : 0,
    signalScores: signals,
    hardFilters,
    softFlags,
    scoreIsPartial: signalNames.some((name) => signals[name] === null),
    scoreRange: blocked === false ? { low, high } : { low: 0, high: 0 },
    evidence: evidenceFor({ ...input, hardFilters, softFlags, context }),
    improvements:
      blocked === false
        ? improvementsFor(
            { listing, seller, signals, market, now },
            composite,
            (raised) =>
              // More feedback lifts the cap of a seller without any.
              composed(raised, hasNoFeedback && raised.feedback_count === signals.feedback_count).composite,
          )
        : [unblocked(composite)],
    photoHashDuplicate: hasDuplicatePhoto,
    scoredAt: now.toISOString(),
  }
}
