import type { TrustScoreRest } from '@trellis/protos/edge/rest.ts'

/** The order of trust: a score that is still uncertain counts as the lowest that it can become. */
export const trustOf = (score: TrustScoreRest | undefined): number =>
  score === undefined ? -1 : ((score.score_is_partial ? score.score_range?.low : undefined) ?? score.composite_score)
