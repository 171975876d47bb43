import { createEdgeNoise } from '../dsp/random.ts'
import type { Hypothesis } from './plan-search.ts'
import type { Steering } from './steering.ts'
import type { StepGrid } from './steps.ts'

/** Weights of the plan's costs. One unit is the difference between two random steps. */
export const COST = {
  /** The very first join is audible against the original, so it weighs most. */
  start: 4,
  /** Any jump is a risk. */
  jump: 0.3,
  /** A jump sooner than one bar after the last, and sooner than two. */
  hasty: 0.9,
  early: 0.25,
  /** Subtracted from a jump after a whole number of two bars. */
  phrase: 0.12,
  /** For each step of a run beyond eight bars, which is a copy rather than a continuation. */
  copy: 0.06,
  /** A step that was played a moment ago; halves every three steps. */
  recent: 0.4,
  /** For each previous use of a step. */
  reuse: 0.15,
  /** A step far quieter than the piece: a tail or a gap. */
  silence: 0.8,
  /** For each 6 dB of difference from the level that the prompt requests. */
  energy: 0.25,
  /** A beginning at a different position in the bar. */
  offBar: 0.8,
  /** Random costs (mean of an exponential distribution) that make seeds differ: for where to begin, and for jumps. */
  startChance: 0.7,
  chance: 0.2,
  /** Random cost of each step of a stretch of the source, so that seeds prefer different stretches. */
  region: 0.25,
}
/** Jumps considered from each step. */
const JUMPS = 10
const recentHalfLife = 3
const quietDb = 25
export const longRunBars = 8
const regionBars = 2

/** Maps a uniform number in [0, 1) to an exponential distribution of mean 1: mostly small, occasionally large. */
export const spread = (even: number): number => -Math.log(1 - even)

/** Steps per bar; without bars, a group of steps of similar length. */
export const barSteps = ({ stepsPerBar }: StepGrid): number => (stepsPerBar === 1 ? 3 : stepsPerBar)

/** How badly `to` follows `from`: what was played should match what precedes `to` in the source, and what follows should match it. */
const jumpDistance = ({ distance, steps }: StepGrid, from: number, to: number): number => {
  let [sum, weight] = [0, 0]
  const compare = (a: number, b: number, share: number) => {
    if (a < 0 || b < 0 || a >= steps.length || b >= steps.length) return
    sum += share * distance(a, b)
    weight += share
  }
  compare(from, to - 1, 0.45)
  compare(from - 1, to - 2, 0.15)
  compare(from + 1, to, 0.3)
  compare(from + 2, to + 1, 0.1)
  // A step at the edge of the source has fewer neighbours to compare; missing ones count as random.
  return sum + (1 - weight)
}

/** The best jump targets after each step, computed when first needed. */
export const createJumpTable = (grid: StepGrid) => {
  const found = new Map<number, { to: number; distance: number }[]>()
  const playable = grid.steps.length - 1
  return (from: number): { to: number; distance: number }[] => {
    const known = found.get(from)
    if (known) return known
    const landing = ((grid.steps[from]?.barPosition ?? 0) + 1) % grid.stepsPerBar
    const jumps: { to: number; distance: number }[] = []
    for (let to = 0; to < playable; to++) {
      if (to === from + 1 || to === from || grid.steps[to]?.barPosition !== landing) continue
      jumps.push({ to, distance: jumpDistance(grid, from, to) })
    }
    jumps.sort((a, b) => a.distance - b.distance || a.to - b.to)
    const best = jumps.slice(0, JUMPS)
    found.set(from, best)
    return best
  }
}

/** Cost of playing a step now: repeated, too soon, silent, or at another level than requested. */
export const createHearingCost = (grid: StepGrid, steering: Steering, seed: number | undefined) => {
  const taste = seed === undefined ? () => 0.5 : createEdgeNoise(seed)
  const region = regionBars * barSteps(grid)
  const target = grid.medianLevel + 6 * steering.energy
  return (step: number, before: Hypothesis | null): number => {
    const level = grid.steps[step]?.level ?? grid.medianLevel
    const recency = (ago: number) => COST.recent * 0.5 ** (ago / recentHalfLife)
    const played = before?.count ?? 0
    let cost = level < grid.medianLevel - quietDb ? COST.silence : 0
    cost += Math.abs(steering.energy) * COST.energy * (Math.abs(level - target) / 6)
    cost += COST.region * taste(-2, Math.floor(step / region))
    // The end of the source was played just before the plan begins.
    cost += recency(grid.endStep - step + played)
    for (let at = before, ago = 1; at; at = at.before, ago++) if (at.step === step) cost += recency(ago) + COST.reuse
    return cost
  }
}

export const jumpCost = (grid: StepGrid, run: number, distance: number, variety: number): number => {
  const bar = barSteps(grid)
  const haste = run < bar ? COST.hasty : run < 2 * bar ? COST.early : 0
  const phrase = run % (2 * bar) === 0 ? COST.phrase : 0
  return COST.jump * (1 - 0.7 * variety) + distance + haste - phrase
}
