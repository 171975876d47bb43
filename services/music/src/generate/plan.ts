import { createEdgeNoise } from '../dsp/random.ts'
import type { Steering } from './steering.ts'
import type { StepGrid } from './steps.ts'

/** A stretch of consecutive source steps that is played in one go; `last` is played to its end. */
export interface Run {
  readonly first: number
  readonly last: number
}

/** What is played, in order. The first run begins at `grid.endPhase` of its first step. */
export interface Plan {
  readonly runs: readonly Run[]
  /** Mean cost per step: what the planner thinks of its own work; lower is better. */
  readonly cost: number
}

export interface PlanRequest {
  readonly grid: StepGrid
  /** Samples at ANALYSIS_RATE that the plan must cover at least. */
  readonly samples: number
  /** How unlike the end of the source and the moment before each step's join are (1: as chance would have it). */
  readonly startCost: readonly number[]
  readonly seed: number
  readonly steering: Steering
  readonly signal?: AbortSignal
}

/** Partial plans kept at each step, and how many of them may stand at the same source step. */
const BEAM = 96
const BEAM_PER_STEP = 4
/** Jumps that are considered from each step. */
const JUMPS = 10

/** Weights of the plan's costs. One unit is the difference between two steps taken by chance. */
const COST = {
  /** The very first join is heard against the original: it counts most. */
  start: 4,
  /** Any jump is a risk. */
  jump: 0.3,
  /** A jump sooner than one bar after the last, and sooner than two. */
  hasty: 0.9,
  early: 0.25,
  /** Taken off a jump that comes after a whole number of two bars. */
  phrase: 0.12,
  /** For each step of a run that is longer than eight bars: a copy, not a continuation. */
  copy: 0.06,
  /** A step that was heard a moment ago; halves every three steps. */
  recent: 0.4,
  /** For each time that a step was used before. */
  reuse: 0.15,
  /** A step far quieter than the piece: a tail or a gap. */
  silence: 0.8,
  /** For each 6 dB away from the level that the prompt asks for. */
  energy: 0.25,
  /** A beginning at another place of the bar. */
  offBar: 0.8,
  /** The spread of chance (the mean of an exponential distribution), by which seeds differ: where to begin and to jump. */
  startChance: 0.7,
  chance: 0.2,
  /** What chance adds to each step of a stretch of the source, by which seeds prefer different stretches. */
  region: 0.25,
}
const RECENT_HALF_LIFE = 3
const QUIET_DB = 25
const LONG_RUN_BARS = 8
const REGION_BARS = 2

/** An even number in [0, 1) as one of an exponential distribution of mean 1: mostly little, now and then much. */
const spread = (even: number): number => -Math.log(1 - even)

/** Steps that count as a bar, where there are bars and where there are none. */
const barSteps = ({ stepsPerBar }: StepGrid): number => (stepsPerBar === 1 ? 3 : stepsPerBar)

interface Hypothesis {
  readonly step: number
  readonly cost: number
  readonly before: Hypothesis | null
  /** Steps played since the last jump, this one included. */
  readonly run: number
  readonly jumped: boolean
  readonly samples: number
  readonly count: number
}

/** How well `to` follows after `from` was played: what was heard should match what came before `to`, and what was to come should match it. */
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
  // A step at the edge of the source has less to be judged by: what is missing counts as chance.
  return sum + (1 - weight)
}

/** The best places to go to after each step, found when they are first needed. */
const createJumpTable = (grid: StepGrid) => {
  const found = new Map<number, { to: number; distance: number }[]>()
  const playable = grid.steps.length - 1
  return (from: number): { to: number; distance: number }[] => {
    const known = found.get(from)
    if (known) return known
    const wanted = ((grid.steps[from]?.barPosition ?? 0) + 1) % grid.stepsPerBar
    const jumps: { to: number; distance: number }[] = []
    for (let to = 0; to < playable; to++) {
      if (to === from + 1 || to === from || grid.steps[to]?.barPosition !== wanted) continue
      jumps.push({ to, distance: jumpDistance(grid, from, to) })
    }
    jumps.sort((a, b) => a.distance - b.distance || a.to - b.to)
    const best = jumps.slice(0, JUMPS)
    found.set(from, best)
    return best
  }
}

/** What it costs to hear this step now: again, too soon, in silence, or at another level than asked for. */
const createHearingCost = ({ grid, steering, seed }: PlanRequest) => {
  const taste = createEdgeNoise(seed)
  const region = REGION_BARS * barSteps(grid)
  const target = grid.medianLevel + 6 * steering.energy
  return (step: number, before: Hypothesis | null): number => {
    const level = grid.steps[step]?.level ?? grid.medianLevel
    const heard = (ago: number) => COST.recent * 0.5 ** (ago / RECENT_HALF_LIFE)
    const played = before?.count ?? 0
    let cost = level < grid.medianLevel - QUIET_DB ? COST.silence : 0
    cost += Math.abs(steering.energy) * COST.energy * (Math.abs(level - target) / 6)
    cost += COST.region * taste(-2, Math.floor(step / region))
    // The end of the source was heard just before the plan begins.
    cost += heard(grid.endStep - step + played)
    for (let at = before, ago = 1; at; at = at.before, ago++) if (at.step === step) cost += heard(ago) + COST.reuse
    return cost
  }
}

const jumpCost = (grid: StepGrid, run: number, distance: number, variety: number): number => {
  const bar = barSteps(grid)
  const haste = run < bar ? COST.hasty : run < 2 * bar ? COST.early : 0
  const phrase = run % (2 * bar) === 0 ? COST.phrase : 0
  return COST.jump * (1 - 0.7 * variety) + distance + haste - phrase
}

const byCost = (a: Hypothesis, b: Hypothesis): number => a.cost - b.cost || a.step - b.step

/** Keeps the cheapest hypotheses, not too many at one place. */
const prune = (hypotheses: Hypothesis[]): Hypothesis[] => {
  const counts = new Map<number, number>()
  const kept: Hypothesis[] = []
  for (const hypothesis of hypotheses.sort(byCost)) {
    const count = counts.get(hypothesis.step) ?? 0
    if (count >= BEAM_PER_STEP) continue
    counts.set(hypothesis.step, count + 1)
    kept.push(hypothesis)
    if (kept.length >= BEAM) break
  }
  return kept
}

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

/** Where a plan may begin, with the cost of that first join: best at the bar position that the source ends in. */
const beginnings = (request: PlanRequest, hearing: (step: number, before: null) => number): Hypothesis[] => {
  const { grid, startCost, seed } = request
  const chance = createEdgeNoise(seed)
  const playable = grid.steps.length - 1
  const position = grid.steps[grid.endStep]?.barPosition
  const found: Hypothesis[] = []
  for (const [step, { start, end, barPosition }] of grid.steps.entries()) {
    if (step >= playable || step === grid.endStep) continue
    const heard = COST.start * (startCost[step] ?? 1) + hearing(step, null)
    const cost = heard + (barPosition === position ? 0 : COST.offBar) + COST.startChance * spread(chance(-1, step))
    const samples = (end - start) * (1 - grid.endPhase)
    found.push({ step, cost, before: null, run: 1, jumped: false, samples, count: 1 })
  }
  return found
}

/**
 * Plans what to play after the source's end, from the source's own steps, for at least the samples asked for: a beam
 * search for the path whose joins are least audible and that neither loops nor copies. The same request gives the same
 * plan. The grid must have at least three steps.
 */
export const planContinuation = (request: PlanRequest): Plan => {
  const { grid, samples, steering, signal } = request
  const hearing = createHearingCost(request)
  const jumpsFrom = createJumpTable(grid)
  const chance = createEdgeNoise(request.seed)
  const longRun = LONG_RUN_BARS * barSteps(grid)
  const playable = grid.steps.length - 1
  const extend = (before: Hypothesis, step: number, edge: number, jumped: boolean): Hypothesis => {
    const length = (grid.steps[step]?.end ?? 0) - (grid.steps[step]?.start ?? 0)
    return {
      step,
      cost: before.cost + edge + hearing(step, before),
      before,
      run: jumped ? 1 : before.run + 1,
      jumped,
      samples: before.samples + length,
      count: before.count + 1,
    }
  }
  const finished: Hypothesis[] = []
  let beam = prune(beginnings(request, hearing))
  while (beam.length > 0) {
    signal?.throwIfAborted()
    const next: Hypothesis[] = []
    for (const hypothesis of beam) {
      if (hypothesis.samples >= samples) {
        finished.push(hypothesis)
        continue
      }
      const { step, run } = hypothesis
      if (step + 1 < playable) next.push(extend(hypothesis, step + 1, run >= longRun ? COST.copy : 0, false))
      for (const { to, distance } of jumpsFrom(step)) {
        const cost = jumpCost(grid, run, distance, steering.variety) + COST.chance * spread(chance(step, to))
        next.push(extend(hypothesis, to, cost, true))
      }
    }
    beam = prune(next)
  }
  const perStep = ({ cost, count }: Hypothesis) => cost / count
  const [best] = finished.sort((a, b) => perStep(a) - perStep(b))
  return best ? { runs: runsOf(best), cost: perStep(best) } : { runs: [], cost: 0 }
}
