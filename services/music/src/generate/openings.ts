import { createEdgeNoise } from '../dsp/random.ts'
import { barSteps, COST, spread } from './plan-costs.ts'
import { createPlanSearch, type Hypothesis, prune, type SearchRequest, stepsOf } from './plan-search.ts'
import type { StepGrid } from './steps.ts'

/** Maximum takes of one request: that many consecutive seeds never share an opening. */
const takes = 4
/** Number of openings that each take chooses from. */
const choice = 4
/** Bars of an opening. */
const openingBars = 2
/** Number of first steps that are tried, and of ways retained from each. */
const LANDINGS = 32
const WAYS = 40
/**
 * Cost of an opening that sounds the same as another throughout, in units of a plan's costs. It decreases with the third power
 * of the similarity: an opening that is half alike counts as another take.
 */
const sameness = 4
const samenessPower = 3
/** Once each take of a request has an opening, those more similar than this to a chosen one are skipped. */
const mostAlike = 0.8
/** Weight of the first bar relative to the second when openings are compared. */
const firstBarWeight = 2

/** A possible beginning of a plan, with its cost. */
export type Opening = {
  readonly end: Hypothesis
  readonly steps: readonly number[]
}

/** The cheapest ways through the first bars, several from each promising first step. */
const candidatesOf = (request: SearchRequest, audible: number): Opening[] => {
  const search = createPlanSearch(request)
  const length = openingBars * barSteps(request.grid)
  const landings = search.beginnings().sort((a, b) => a.cost - b.cost || a.step - b.step)
  return landings.slice(0, LANDINGS).flatMap((landing) => {
    let ways = [landing]
    while (ways.some(({ samples, count }) => samples < audible && count < length)) {
      const grown = ways.flatMap((way) => (way.samples < audible && way.count < length ? search.next(way) : [way]))
      ways = prune(grown, WAYS)
    }
    return ways.map((end) => ({ end, steps: stepsOf(end) }))
  })
}

/** Similarity of two openings, 0 (nothing in common) to 1 (the same), compared step by step. */
const likeness = (grid: StepGrid, a: readonly number[], b: readonly number[]): number => {
  let [sum, total] = [0, 0]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const weight = i < barSteps(grid) ? firstBarWeight : 1
    sum += weight * Math.max(0, 1 - grid.distance(a[i] ?? 0, b[i] ?? 0))
    total += weight
  }
  return total > 0 ? sum / total : 1
}

/**
 * Good openings that sound different from each other, in order: each is the cheapest, where similarity to an earlier one adds
 * to its cost.
 */
export const differentOpenings = (request: SearchRequest, audible: number): Opening[] => {
  const left = candidatesOf(request, audible).map((opening) => ({ ...opening, alike: 0 }))
  const chosen: Opening[] = []
  const price = ({ end, alike }: (typeof left)[number]) => end.cost + sameness * alike ** samenessPower
  while (chosen.length < takes * choice && left.length > 0) {
    const best = left.reduce((a, b) => (price(b) < price(a) ? b : a))
    left.splice(left.indexOf(best), 1)
    if (chosen.length >= takes && best.alike > mostAlike) continue
    chosen.push(best)
    for (const other of left) other.alike = Math.max(other.alike, likeness(request.grid, best.steps, other.steps))
  }
  return chosen
}

/**
 * The opening of a seed's plan. Seeds get the openings in turn, so that several takes (with consecutive seeds) begin
 * differently; among its own openings a seed chooses by cost and chance.
 */
export const openingFor = (request: SearchRequest, seed: number, audible: number): Opening | undefined => {
  const openings = differentOpenings(request, audible)
  const chance = createEdgeNoise(seed)
  const turn = seed % Math.min(takes, Math.max(1, openings.length))
  const dealt = openings.flatMap((opening, index) =>
    index % takes === turn ? [{ opening, price: opening.end.cost + COST.startChance * spread(chance(-1, index)) }] : [],
  )
  return dealt.sort((a, b) => a.price - b.price)[0]?.opening
}
