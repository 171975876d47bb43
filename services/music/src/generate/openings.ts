import { createEdgeNoise } from '../dsp/random.ts'
import { barSteps, COST, spread } from './plan-costs.ts'
import { createPlanSearch, type Hypothesis, prune, type SearchRequest, stepsOf } from './plan-search.ts'
import type { StepGrid } from './steps.ts'

/** Takes that a request may ask for at once: as many seeds in a row never share an opening. */
const TAKES = 4
/** Openings that the takes of one place among TAKES choose among. */
const CHOICE = 4
/** Bars of an opening. */
const OPENING_BARS = 2
/** First steps that are tried, and ways kept on from each. */
const LANDINGS = 32
const WAYS = 40
/**
 * What an opening that sounds the same as another from beginning to end costs, in units of a plan's costs. Less alike, by
 * the third power: what is half alike is another take.
 */
const SAMENESS = 6
const SAMENESS_POWER = 3
/** How much more the first bar counts than the second when openings are compared. */
const FIRST_BAR_WEIGHT = 2

/** A way to begin a plan, and what it costs. */
export interface Opening {
  readonly end: Hypothesis
  readonly steps: readonly number[]
}

/** The cheapest ways through the first bars, some from each promising landing. */
const candidatesOf = (request: SearchRequest, heard: number): Opening[] => {
  const search = createPlanSearch(request)
  const length = OPENING_BARS * barSteps(request.grid)
  const landings = search.beginnings().sort((a, b) => a.cost - b.cost || a.step - b.step)
  return landings.slice(0, LANDINGS).flatMap((landing) => {
    let ways = [landing]
    while (ways.some(({ samples, count }) => samples < heard && count < length)) {
      const grown = ways.flatMap((way) => (way.samples < heard && way.count < length ? search.next(way) : [way]))
      ways = prune(grown, WAYS)
    }
    return ways.map((end) => ({ end, steps: stepsOf(end) }))
  })
}

/** How alike two openings sound, 0 (nothing in common) to 1 (the same), step against step. */
const likeness = (grid: StepGrid, a: readonly number[], b: readonly number[]): number => {
  let [sum, total] = [0, 0]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const weight = i < barSteps(grid) ? FIRST_BAR_WEIGHT : 1
    sum += weight * Math.max(0, 1 - grid.distance(a[i] ?? 0, b[i] ?? 0))
    total += weight
  }
  return total > 0 ? sum / total : 1
}

/**
 * Good ways to begin that sound different, one after another: each is the cheapest where sounding like one of those
 * before it costs, too.
 */
export const differentOpenings = (request: SearchRequest, heard: number): Opening[] => {
  const left = candidatesOf(request, heard).map((opening) => ({ ...opening, alike: 0 }))
  const chosen: Opening[] = []
  const price = ({ end, alike }: (typeof left)[number]) => end.cost + SAMENESS * alike ** SAMENESS_POWER
  while (chosen.length < TAKES * CHOICE && left.length > 0) {
    const best = left.reduce((a, b) => (price(b) < price(a) ? b : a))
    left.splice(left.indexOf(best), 1)
    chosen.push(best)
    for (const other of left) other.alike = Math.max(other.alike, likeness(request.grid, best.steps, other.steps))
  }
  return chosen
}

/**
 * The opening of a seed's plan. Seeds are dealt the openings in turn, so that those of several takes (which follow one
 * another) begin differently; among the ones dealt to it a seed chooses by cost and chance.
 */
export const openingFor = (request: SearchRequest, seed: number, heard: number): Opening | undefined => {
  const openings = differentOpenings(request, heard)
  const chance = createEdgeNoise(seed)
  const turn = seed % Math.min(TAKES, Math.max(1, openings.length))
  const dealt = openings.flatMap((opening, index) =>
    index % TAKES === turn ? [{ opening, price: opening.end.cost + COST.startChance * spread(chance(-1, index)) }] : [],
  )
  return dealt.sort((a, b) => a.price - b.price)[0]?.opening
}
