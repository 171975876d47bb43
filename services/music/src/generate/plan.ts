import { analysisRate } from '../analysis/spectral-frames.ts'
import { stretchable } from './fit-length.ts'
import { openingFor } from './openings.ts'
import { endCost } from './plan-costs.ts'
import { createPlanSearch, type Hypothesis, prune, type SearchRequest } from './plan-search.ts'

/** A stretch of consecutive source steps that is played without a jump; `last` is included. */
export type Run = {
  readonly first: number
  readonly last: number
}

/** Runs in playing order. The first run begins at `grid.endPhase` of its first step. */
export type Plan = {
  readonly runs: readonly Run[]
  /** Mean cost per step, the planner's own quality measure; lower is better. */
  readonly cost: number
  /** Whether it ends with its last step, so that it only needs to be stretched a little; else it is cut where it must end. */
  readonly isWhole: boolean
}

export type PlanRequest = SearchRequest & {
  /** Audible length in samples at ANALYSIS_RATE. */
  readonly audible: number
  /**
   * How much before its length a plan may end (samples at ANALYSIS_RATE): it then ends the piece, and is not stretched. 0 for a
   * plan that is not an end.
   */
  readonly early: number
  /** 0..2^53-1. */
  readonly seed: number
  readonly signal?: AbortSignal
}

/** By which share what may be stretched of a plan may be longer or shorter than requested. */
export const mostStretch = 0.025
/** Length that a plan which is cut has beyond the requested one, since joins shift its runs by some milliseconds (samples). */
const cutMargin = 1.5 * analysisRate
/** Partial plans retained at each step. */
const BEAM = 96

const runsOf = (end: Hypothesis): Run[] => {
  const runs: Run[] = []
  let last = end.step
  for (let at: Hypothesis | null = end; at; at = at.before) {
    if (!at.jumped && at.before) continue
    runs.unshift({ first: at.step, last })
    last = at.before?.step ?? last
  }
  return runs
}

type Ended = { readonly end: Hypothesis; readonly cost: number }

/** An opening, or as much of it as is shorter than `most`: a short continuation may have to end before its opening does. */
const beginningOf = (opening: Hypothesis, most: number): Hypothesis[] => {
  let at = opening
  while (at.before && at.samples > most) at = at.before
  return [at]
}

/**
 * Plans what to play after the source's end, from the source's own steps: a beam search for the path whose joins are least
 * audible and that neither loops nor copies. Of the paths of about the requested length, it prefers one that ends with a bar
 * and a phrase (Wenner et al., "Scalable music", 2013); without beats, or if none fits, it is longer and will be cut.
 * Deterministic: the same request yields the same plan. Consecutive seeds yield plans that begin differently. The grid must
 * have at least three steps.
 */
export const planContinuation = ({ audible, early, seed, signal, ...weighed }: PlanRequest): Plan => {
  const { grid } = weighed
  const opening = openingFor(weighed, seed, audible)
  const search = createPlanSearch({ ...weighed, seed })
  const whole: Ended[] = []
  const longer: Ended[] = []
  const limit = stretchable(audible, analysisRate) * mostStretch
  const [earliest, latest] = early > 0 ? [early, 0] : [limit, limit]
  let beam = opening ? beginningOf(opening.end, audible - earliest) : []
  while (beam.length > 0) {
    signal?.throwIfAborted()
    const next: Hypothesis[] = []
    for (const end of beam) {
      const beyond = end.samples - audible
      if (grid.kind === 'beats' && beyond <= latest && beyond >= -earliest)
        whole.push({ end, cost: end.cost + endCost(grid, end.step, early > 0 ? 0 : beyond / limit) })
      if (beyond >= cutMargin) longer.push({ end, cost: end.cost })
      else if (whole.length === 0 || beyond <= latest) next.push(...search.next(end))
    }
    beam = prune(next, BEAM)
  }
  const isWhole = whole.length > 0
  const best = (isWhole ? whole : longer).reduce<Ended | undefined>(
    (a, b) => (a && a.cost / a.end.count <= b.cost / b.end.count ? a : b),
    undefined,
  )
  return best ? { runs: runsOf(best.end), cost: best.cost / best.end.count, isWhole } : { runs: [], cost: 0, isWhole }
}
