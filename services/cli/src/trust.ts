import type { TrustScoreRest } from '@trellis/protos/edge/rest.ts'

/** Below every listing without a hard filter. */
const filtered = -100

/**
 * The order of trust: a score that is still uncertain counts as the lowest that it can become, and what a hard filter marks comes after everything else, as
 * these filters do not lower the score themselves.
 */
export const trustOf = (score: TrustScoreRest | undefined): number => {
  if (score === undefined) return -1
  const certain = (score.score_is_partial ? score.score_range?.low : undefined) ?? score.composite_score
  return score.hard_filters.length > 0 ? certain + filtered : certain
}
