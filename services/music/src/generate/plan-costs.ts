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
  /** A beginning at a different position in the bar, at another place in the phrase, and for each 6 dB of another level. */
  offBar: 1.1,
  offPhrase: 0.25,
  offLevel: 0.8,
  /** An end within a bar, within a phrase, and one for which the whole must be stretched as much as allowed. */
  endInBar: 0.9,
  endInPhrase: 0.45,
  stretch: 0.6,
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
/** Bars after which a run costs more, and after which it must jump: more would be a copy rather than a continuation. */
export const longRunBars = 4
export const longestRunBars = 8
/** Steps compared on each side of a jump, and the number of promising targets that are compared over so many. */
const sideSteps = 4
const shortlisted = 64
const regionBars = 2

/** Maps a uniform number in [0, 1) to an exponential distribution of mean 1: mostly small, occasionally large. */
export const spread = (even: number): number => -Math.log(1 - even)

/** Steps per bar; without bars, a group of steps of similar length. */
export const barSteps = ({ stepsPerBar }: StepGrid): number => (stepsPerBar === 1 ? 3 : stepsPerBar)

/** How unlike the steps just around a jump are: what was played and what precedes `to`; what would follow and what follows. */
const nearDistance = ({ distance, steps }: StepGrid, from: number, to: number): number => {
  const isInside = to > 0 && from + 1 < steps.length
  return isInside ? 0.6 * distance(from, to - 1) + 0.4 * distance(from + 1, to) : 1
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

/** The best jumps after each step, computed when first needed. */
export const createJumpTable = (grid: StepGrid) => {
  const found = new Map<number, Jump[]>()
  const playable = grid.steps.length - 1
  const best = (jumps: Jump[], count: number) =>
    jumps.sort((a, b) => a.distance - b.distance || a.to - b.to).slice(0, count)
  return (from: number): Jump[] => {
    const known = found.get(from)
    if (known) return known
    const placed = (to: number) => COST.bar * grid.barClash(from, to, 1) + COST.phrase * grid.phraseClash(from, to, 1)
    const near: Jump[] = []
    for (let to = 0; to < playable; to++) {
      if (to === from + 1 || to === from) continue
      near.push({ to, distance: nearDistance(grid, from, to) + placed(to) })
    }
    const jumps = best(
      best(near, shortlisted).map(({ to, distance }) => ({
        to,
        distance: placed(to) + 0.5 * (distance - placed(to)) + 0.5 * lastingDistance(grid, from, to),
      })),
      JUMPS,
    )
    found.set(from, jumps)
    return jumps
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
    const density = clamp(grid.steps[step]?.density ?? 1, 0.5, 1.5)
    cost += COST.drums * (Math.abs(steering.drums) - 2 * steering.drums * (density - 1))
    cost += COST.region * taste(-2, Math.floor(step / region))
    // The end of the source was played just before the plan begins.
    cost += recency(grid.endStep - step + played)
    for (let at = before, ago = 1; at; at = at.before, ago++) if (at.step === step) cost += recency(ago) + COST.reuse
    return cost
  }
}

/** A repetition: how many steps ago the same was played, and for how many steps. */
export type Repetition = { readonly lag: number; readonly length: number }

/** The repetition that a step continues or begins. */
export const repetitionOf = (step: number, before: Hypothesis): Repetition => {
  let begun = 0
  for (let at: Hypothesis | null = before, ago = 1; at; at = at.before, ago++) {
    if (at.step !== step) continue
    if (ago === before.repetition.lag) return { lag: ago, length: before.repetition.length + 1 }
    begun ||= ago
  }
  return { lag: begun, length: begun > 0 ? 1 : 0 }
}

export const loopCost = (grid: StepGrid, { length }: Repetition): number => (length > barSteps(grid) ? COST.loop : 0)

export const jumpCost = (grid: StepGrid, run: number, distance: number, variety: number): number => {
  const bar = barSteps(grid)
  const haste = run < bar ? COST.hasty : run < 2 * bar ? COST.early : 0
  return COST.jump * (1 - 0.7 * variety) + distance + haste
}

/** Cost of ending after a step, where `stretch` (-1..1) is by how much of what is allowed the whole must be stretched. */
export const endCost = (grid: StepGrid, step: number, stretch: number): number =>
  COST.endInBar * (1 - grid.barEnd(step)) + COST.endInPhrase * (1 - grid.phraseEnd(step)) + COST.stretch * stretch ** 2

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
