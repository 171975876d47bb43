import { analysisRate } from '../analysis/spectral-frames.ts'
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
  /** Whether it ends the piece with its last step; else it is longer than requested, and is cut. */
  readonly isWhole: boolean
}

export type PlanRequest = SearchRequest & {
  /** Audible length in samples at ANALYSIS_RATE. */
  readonly audible: number
  /** How much before its length a plan may end the piece (samples at ANALYSIS_RATE); 0 for one that does not end it. */
  readonly early: number
  /** 0..2^53-1. */
  readonly seed: number
  readonly signal?: AbortSignal
}

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

/** The hypothesis, of those that lead to one, that ends nearest to a length. */
const nearestTo = (end: Hypothesis, samples: number): Hypothesis => {
  let nearest = end
  for (let at: Hypothesis | null = end; at; at = at.before)
    if (Math.abs(at.samples - samples) < Math.abs(nearest.samples - samples)) nearest = at
  return nearest
}

/**
 * Plans what to play after the source's end, from the source's own steps: a beam search for the path whose joins are least
 * audible and that neither loops nor copies. It prefers an end with a bar and a phrase (Wenner et al., "Scalable music", 2013).
 * A path that ends the piece may be shorter than requested; others are longer, and are cut, within a beat if
 * necessary: to end with a beat they would need another tempo.
 * Deterministic: the same request yields the same plan. Consecutive seeds yield plans that begin differently. The grid must
 * have at least three steps.
 */
export const planContinuation = ({ audible, early, seed, signal, ...weighed }: PlanRequest): Plan => {
  const { grid } = weighed
  const opening = openingFor(weighed, seed, audible)
  const search = createPlanSearch({ ...weighed, seed })
  const whole: Ended[] = []
  const longer: Ended[] = []
  let beam = opening ? beginningOf(opening.end, audible - early) : []
  while (beam.length > 0) {
    signal?.throwIfAborted()
    const next: Hypothesis[] = []
    for (const end of beam) {
      const beyond = end.samples - audible
      if (early > 0 && grid.kind === 'beats' && beyond <= 0 && beyond >= -early)
        whole.push({ end, cost: end.cost + endCost(grid, end.step) })
      if (beyond >= cutMargin) longer.push({ end, cost: end.cost + endCost(grid, nearestTo(end, audible).step) })
      else if (whole.length === 0 || beyond <= 0) next.push(...search.next(end))
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
