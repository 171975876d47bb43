import { createEdgeNoise } from '../dsp/random.ts'
import {
  barSteps,
  COST,
  createHearingCost,
  createJumpTable,
  createUsesIndex,
  jumpCost,
  levelCosts,
  longestRunBars,
  longRunBars,
  loopCost,
  offBarCost,
  type Repetition,
  repetitionOf,
  spread,
  type Uses,
} from './plan-costs.ts'
import type { Steering } from './steering.ts'
import type { StepGrid } from './steps.ts'

/** A partial plan: its latest step, and all earlier steps through `before`. */
export type Hypothesis = {
  readonly step: number
  readonly cost: number
  readonly before: Hypothesis | null
  /** Steps played since the last jump, including this one. */
  readonly run: number
  readonly jumped: boolean
  readonly repetition: Repetition
  readonly samples: number
  readonly count: number
}

export type SearchRequest = {
  readonly grid: StepGrid
  /** How unlike the end of the source is to the moment before each step's join (1 is random). */
  readonly startCost: readonly number[]
  readonly steering: Steering
  /** Seed of the random costs; undefined to weigh costs without any. */
  readonly seed?: number
}

/** The ways in which a plan can begin and continue. */
export type PlanSearch = {
  beginnings(): Hypothesis[]
  /** Possible continuations: the next step of the source, or a jump. */
  next(before: Hypothesis): Hypothesis[]
}

/** Maximum partial plans that end at the same source step. */
const beamPerStep = 4

const byCost = (a: Hypothesis, b: Hypothesis): number => a.cost - b.cost || a.step - b.step

/** Retains the `width` cheapest hypotheses, with a limit per step. */
export const prune = (hypotheses: Hypothesis[], width: number): Hypothesis[] => {
  const counts = new Map<number, number>()
  const survivors: Hypothesis[] = []
  for (const hypothesis of hypotheses.sort(byCost)) {
    const count = counts.get(hypothesis.step) ?? 0
    if (count >= beamPerStep) continue
    counts.set(hypothesis.step, count + 1)
    survivors.push(hypothesis)
    if (survivors.length >= width) break
  }
  return survivors
}

/** The steps of a hypothesis in playing order. */
export const stepsOf = (end: Hypothesis): number[] => {
  const steps: number[] = []
  for (let at: Hypothesis | null = end; at; at = at.before) steps.push(at.step)
  return steps.reverse()
}

/** A way to go on from a hypothesis: the next step, and what going there costs. */
type Move = { readonly step: number; readonly cost: number; readonly jumped: boolean }

export const createPlanSearch = ({ grid, startCost, steering, seed }: SearchRequest): PlanSearch => {
  const hearing = createHearingCost(grid, steering, seed)
  const jumpsFrom = createJumpTable(grid, steering.section && grid.stepsOfSection(steering.section))
  const usesOf = createUsesIndex(grid.steps.length)
  const chance = seed === undefined ? () => 0 : createEdgeNoise(seed)
  const longRun = longRunBars * barSteps(grid)
  const longestRun = longestRunBars * barSteps(grid)
  const levels = levelCosts(grid)
  const playable = grid.steps.length - 1
  const extend = (before: Hypothesis, { step, cost, jumped }: Move, uses: Uses): Hypothesis => {
    const repetition = repetitionOf(uses, before.repetition)
    const length = (grid.steps[step]?.end ?? 0) - (grid.steps[step]?.start ?? 0)
    return {
      step,
      cost: before.cost + cost + hearing(step, before.count, uses) + loopCost(grid, repetition),
      before,
      run: jumped ? 1 : before.run + 1,
      jumped,
      repetition,
      samples: before.samples + length,
      count: before.count + 1,
    }
  }
  const movesFrom = ({ step, run }: Hypothesis): Move[] => {
    const jumps = jumpsFrom(step)
    const moves = jumps.map(({ to, distance }): Move => {
      const cost = jumpCost(grid, run, distance, steering.variety) + COST.chance * spread(chance(step, to))
      return { step: to, cost, jumped: true }
    })
    // A source with nowhere to jump is the only one that is copied for longer.
    if (step + 1 < playable && (run < longestRun || jumps.length === 0))
      moves.unshift({ step: step + 1, cost: run >= longRun ? COST.copy : 0, jumped: false })
    return moves
  }
  return {
    beginnings() {
      const found: Hypothesis[] = []
      for (const [step, { start, end }] of grid.steps.entries()) {
        if (step >= playable || step === grid.endStep) continue
        const entry = COST.start * (startCost[step] ?? 1) + (levels[step] ?? 0) + hearing(step, 0, [])
        const cost =
          entry +
          offBarCost(grid.barClash(grid.endStep, step, 0)) +
          COST.offPhrase * grid.phraseClash(grid.endStep, step, 0)
        const samples = (end - start) * (1 - grid.endPhase)
        const repetition = { lag: 0, length: 0 }
        found.push({ step, cost, before: null, run: 1, jumped: false, repetition, samples, count: 1 })
      }
      return found
    },
    next(before) {
      const moves = movesFrom(before)
      const uses = usesOf(
        before,
        moves.map(({ step }) => step),
      )
      return moves.map((move, index) => extend(before, move, uses[index] ?? []))
    },
  }
}
