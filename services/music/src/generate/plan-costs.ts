import { analysisRate } from '../analysis/spectral-frames.ts'
import { createEdgeNoise } from '../dsp/random.ts'
import { clamp, median } from '../dsp/statistics.ts'
import type { Hypothesis } from './plan-search.ts'
import type { Steering } from './steering.ts'
import type { Step, StepGrid } from './steps.ts'

/** Weights of the plan's costs. One unit is the difference between two random steps. */
export const COST = {
  /** The very first join is audible against the original, so it weighs most. */
  start: 4,
  /** Any jump is a risk. */
  jump: 0.3,
  /** A jump sooner than one bar after the last, and sooner than two. */
  hasty: 0.9,
  early: 0.25,
  /** A jump to another position in the bar, and to the opposite place in the phrase. */
  bar: 1.4,
  phrase: 0.35,
  /** For each step of a run beyond four bars, which is on its way to a copy. */
  copy: 0.03,
  /** A step that was played a moment ago; halves every three steps. */
  recent: 0.4,
  /** For each previous use of a step. */
  reuse: 0.15,
  /** For each step that repeats what was played before, in the same order, for more than a bar: a loop. */
  loop: 0.3,
  /** A step far quieter than the piece: a tail or a gap. */
  silence: 0.8,
  /** For each 6 dB of difference from the level that the prompt requests. */
  energy: 0.25,
  /** For a step in which half as much, or half as much again, begins as usual, where the prompt requests the opposite. */
  drums: 0.4,
  /** For a step outside of the section that the prompt names. */
  section: 0.6,
  /**
   * A beginning that is certainly at a different position in the bar, one at another place in the phrase, and one of another
   * level, for each 6 dB. The first outweighs every strange join: a lost beat is more audible than a note that breaks off.
   */
  offBar: 20,
  offPhrase: 0.25,
  offLevel: 0.8,
  /** An end within a bar, and within a phrase. */
  endInBar: 0.9,
  endInPhrase: 0.45,
  /** Random costs (mean of an exponential distribution) that make seeds differ: for where to begin, and for jumps. */
  startChance: 0.7,
  chance: 0.2,
  /** Random cost of each step of a stretch of the source, so that seeds prefer different stretches. */
  region: 0.25,
}
/** Jumps considered from each step, and of those into the section that the prompt names: it may sound unlike all that precedes it. */
const JUMPS = 10
const sectionJumps = 4
const recentHalfLife = 3
const quietDb = 25
/** Bars after which a run costs more, and after which it must jump: more would be a copy rather than a continuation. */
export const longRunBars = 4
export const longestRunBars = 8
/** Steps compared on each side of a jump, and the number of promising targets that are compared over so many. */
const sideSteps = 4
const shortlisted = 64
const regionBars = 2
/** Rows of distances that are retained: 50 KB each for the longest context. */
const retainedRows = 128

/** Maps a uniform number in [0, 1) to an exponential distribution of mean 1: mostly small, occasionally large. */
export const spread = (even: number): number => -Math.log(1 - even)

/** Steps per bar; without bars, a group of steps of similar length. */
export const barSteps = ({ stepsPerBar }: StepGrid): number => (stepsPerBar === 1 ? 3 : stepsPerBar)

/** Distances from a step to all steps. The latest are retained, since jumps from neighbouring steps share them. */
const createDistanceRows = ({ steps, distance }: StepGrid) => {
  const rows = new Map<number, Float64Array>()
  return (from: number): Float64Array => {
    const known = rows.get(from)
    if (known) return known
    const row = new Float64Array(steps.length)
    for (let to = 0; to < row.length; to++) row[to] = distance(from, to)
    rows.set(from, row)
    const [oldest = from] = rows.keys()
    if (rows.size > retainedRows) rows.delete(oldest)
    return row
  }
}

/**
 * How unlike the music is over several steps on each side of a jump: the worse of the two medians. Similarity that lasts is a
 * repetition; that of a single step may be chance (Perraudin et al. 2018).
 */
const lastingDistance = ({ distance, steps }: StepGrid, from: number, to: number): number => {
  const side = (shifts: readonly number[]) =>
    median(
      shifts.map((shift) => {
        const [a, b] = [from + shift, to - 1 + shift]
        // Steps at the edges of the source have fewer neighbours; missing ones count as random.
        return Math.min(a, b) < 0 || Math.max(a, b) >= steps.length ? 1 : distance(a, b)
      }),
    )
  const shifts = Array.from({ length: sideSteps }, (_, i) => i)
  return Math.max(side(shifts.map((shift) => -shift)), side(shifts.map((shift) => shift + 1)))
}

/** A jump: where it lands, and what it costs by sound, bar and phrase. */
export type Jump = { readonly to: number; readonly distance: number }

/** The best jumps after each step, and the best into a section from outside of it, computed when first needed. */
export const createJumpTable = (grid: StepGrid, section?: ReadonlySet<number>) => {
  const found = new Map<number, Jump[]>()
  const distancesFrom = createDistanceRows(grid)
  const playable = grid.steps.length - 1
  const best = (jumps: Jump[], count: number) =>
    jumps.sort((a, b) => a.distance - b.distance || a.to - b.to).slice(0, count)
  const placed = (from: number, to: number) =>
    COST.bar * grid.barClash(from, to, 1) + COST.phrase * grid.phraseClash(from, to, 1)
  /** What each jump costs by the steps just around it: how unlike is what was played to what precedes `to`, and what would follow to what follows. */
  const costsNear = (from: number): Float64Array => {
    const [played, following] = [distancesFrom(from), distancesFrom(from + 1)]
    const costs = new Float64Array(playable)
    for (let to = 0; to < playable; to++) {
      const isInside = to > 0 && from + 1 < grid.steps.length
      costs[to] = (isInside ? 0.6 * (played[to - 1] ?? 0) + 0.4 * (following[to] ?? 0) : 1) + placed(from, to)
    }
    // Neither a repetition of the step nor the next one is a jump.
    costs.fill(Number.POSITIVE_INFINITY, from, from + 2)
    return costs
  }
  /** The cheapest of them. Only those up to the last one's cost become objects and are sorted. */
  const shortlist = (costs: Float64Array): Jump[] => {
    const limit = costs.toSorted()[shortlisted - 1] ?? Number.MAX_VALUE
    const jumps: Jump[] = []
    for (const [to, distance] of costs.entries())
      if (distance <= limit && distance < Number.POSITIVE_INFINITY) jumps.push({ to, distance })
    return best(jumps, shortlisted)
  }
  /** The best of those on the shortlist, which are compared over several steps. */
  const bestOf = (from: number, costs: Float64Array, count: number): Jump[] =>
    best(
      shortlist(costs).map(({ to, distance }) => {
        const place = placed(from, to)
        return { to, distance: place + 0.5 * (distance - place) + 0.5 * lastingDistance(grid, from, to) }
      }),
      count,
    )
  return (from: number): Jump[] => {
    const known = found.get(from)
    if (known) return known
    const costs = costsNear(from)
    const jumps = bestOf(from, costs, JUMPS)
    if (section && !section.has(from + 1)) {
      const inside = costs.map((cost, to) => (section.has(to) ? cost : Number.POSITIVE_INFINITY))
      const known = new Set(jumps.map(({ to }) => to))
      jumps.push(...bestOf(from, inside, sectionJumps).filter(({ to }) => !known.has(to)))
    }
    found.set(from, jumps)
    return jumps
  }
}

/** How many steps ago a step was played, from the latest time on. */
export type Uses = readonly number[]

/**
 * Finds when some steps were played before. All of them are found in one walk through what has been played, since a walk for each
 * takes most of the time of a search. The steps must be distinct.
 */
export const createUsesIndex = (stepCount: number) => {
  const ordinals = new Int32Array(stepCount)
  return (before: Hypothesis, steps: readonly number[]): Uses[] => {
    const uses: number[][] = steps.map(() => [])
    for (const [index, step] of steps.entries()) ordinals[step] = index + 1
    for (let at: Hypothesis | null = before, ago = 1; at; at = at.before, ago++) {
      const ordinal = ordinals[at.step] ?? 0
      if (ordinal > 0) uses[ordinal - 1]?.push(ago)
    }
    for (const step of steps) ordinals[step] = 0
    return uses
  }
}

/** Cost of playing a step now, after `played` others: repeated, too soon, silent, or at another level than requested. */
export const createHearingCost = (grid: StepGrid, steering: Steering, seed: number | undefined) => {
  const taste = seed === undefined ? () => 0.5 : createEdgeNoise(seed)
  const region = regionBars * barSteps(grid)
  const target = grid.medianLevel + 6 * steering.energy
  const section = steering.section && grid.stepsOfSection(steering.section)
  return (step: number, played: number, uses: Uses): number => {
    const level = grid.steps[step]?.level ?? grid.medianLevel
    const recency = (ago: number) => COST.recent * 0.5 ** (ago / recentHalfLife)
    let cost = level < grid.medianLevel - quietDb ? COST.silence : 0
    cost += Math.abs(steering.energy) * COST.energy * (Math.abs(level - target) / 6)
    const density = clamp(grid.steps[step]?.density ?? 1, 0.5, 1.5)
    cost += COST.drums * (Math.abs(steering.drums) - 2 * steering.drums * (density - 1))
    if (section && !section.has(step)) cost += COST.section
    cost += COST.region * taste(-2, Math.floor(step / region))
    // The end of the source was played just before the plan begins.
    cost += recency(grid.endStep - step + played)
    for (const ago of uses) cost += recency(ago) + COST.reuse
    return cost
  }
}

/** A repetition: how many steps ago the same was played, and for how many steps. */
export type Repetition = { readonly lag: number; readonly length: number }

/** The repetition that a step with these uses continues, or else begins. */
export const repetitionOf = (uses: Uses, { lag, length }: Repetition): Repetition => {
  if (uses.includes(lag)) return { lag, length: length + 1 }
  const [latest = 0] = uses
  return { lag: latest, length: latest > 0 ? 1 : 0 }
}

/** Cost of a step that continues a repetition of more than a bar. It grows with the repetition, or few steps would be played as a loop. */
export const loopCost = (grid: StepGrid, { length }: Repetition): number => {
  const bars = length / barSteps(grid)
  return bars > 1 ? COST.loop * bars : 0
}

/** Minimum probability of a position in the bar; a smaller one costs no more. */
const leastAgreement = 0.02

/** Cost of a first step that is, with a probability of 1 - `clash`, at the position in the bar at which the piece goes on. */
export const offBarCost = (clash: number): number =>
  (COST.offBar * Math.log(Math.max(leastAgreement, 1 - clash))) / Math.log(leastAgreement)

export const jumpCost = (grid: StepGrid, run: number, distance: number, variety: number): number => {
  const bar = barSteps(grid)
  const haste = run < bar ? COST.hasty : run < 2 * bar ? COST.early : 0
  return COST.jump * (1 - 0.7 * variety) + distance + haste
}

/** Cost of ending after a step. */
export const endCost = (grid: StepGrid, step: number): number =>
  COST.endInBar * (1 - grid.barEnd(step)) + COST.endInPhrase * (1 - grid.phraseEnd(step))

/** Time over which a step of loudness is perceived (s). */
export const steppedSeconds = 3
/** Power assumed for silence: 70 dB below full scale. */
const silentPower = 1e-7

/** Mean power of the steps from one step on, forwards or backwards, over the time in which a step of loudness is perceived. */
const powerNear = (steps: readonly Step[], from: number, direction: 1 | -1): number => {
  let [energy, samples] = [0, 0]
  for (let at = from; samples < steppedSeconds * analysisRate; at += direction) {
    const step = steps[at]
    if (!step) break
    energy += step.power * (step.end - step.start)
    samples += step.end - step.start
  }
  return energy / Math.max(1, samples) + silentPower
}

/** Cost of a first step before music that is louder or softer than the last seconds of the source. */
export const levelCosts = ({ steps, endStep, endPhase }: StepGrid): number[] => {
  // Of a last step that has hardly begun, there is too little to know its level.
  const last = powerNear(steps, endPhase < 0.5 ? Math.max(0, endStep - 1) : endStep, -1)
  return steps.map((_, step) => (COST.offLevel * Math.abs(10 * Math.log10(powerNear(steps, step, 1) / last))) / 6)
}
