import { openingFor } from './openings.ts'
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
}

export type PlanRequest = SearchRequest & {
  /** Audible length, and minimum length that the plan must cover, in samples at ANALYSIS_RATE. */
  readonly audible: number
  readonly samples: number
  /** 0..2^53-1. */
  readonly seed: number
  readonly signal?: AbortSignal
}

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

/**
 * Plans what to play after the source's end, from the source's own steps, for at least `samples`: a beam search for the path
 * whose joins are least audible and that neither loops nor copies. Deterministic: the same request yields the same plan.
 * Consecutive seeds yield plans that begin differently. The grid must have at least three steps.
 */
export const planContinuation = ({ audible, samples, seed, signal, ...weighed }: PlanRequest): Plan => {
  const opening = openingFor(weighed, seed, audible)
  const search = createPlanSearch({ ...weighed, seed })
  const finished: Hypothesis[] = []
  let beam = opening ? [opening.end] : []
  while (beam.length > 0) {
    signal?.throwIfAborted()
    const next: Hypothesis[] = []
    for (const hypothesis of beam) {
      if (hypothesis.samples >= samples) finished.push(hypothesis)
      else next.push(...search.next(hypothesis))
    }
    beam = prune(next, BEAM)
  }
  const perStep = ({ cost, count }: Hypothesis) => cost / count
  const [best] = finished.sort((a, b) => perStep(a) - perStep(b))
  return best ? { runs: runsOf(best), cost: perStep(best) } : { runs: [], cost: 0 }
}
