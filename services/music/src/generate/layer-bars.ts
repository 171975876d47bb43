import { createEdgeNoise } from '../dsp/random.ts'
import { type BarDrums, patternDifference } from './bar-drums.ts'
import { createDrumPath } from './drum-path.ts'
import type { Run } from './plan.ts'
import { spread } from './plan-costs.ts'
import type { StepGrid } from './steps.ts'

/** A bar of a plan under whose harmony the drums of another bar of the source sound. */
export type Layer = {
  /** Index of its run in the plan. */
  readonly run: number
  /** First step of the bar, and of the one whose drums it gets. */
  readonly first: number
  readonly drums: number
}

export type LayerRequest = {
  readonly grid: StepGrid
  readonly runs: readonly Run[]
  readonly drumsOf: (first: number) => Promise<BarDrums>
  readonly seed: number
  readonly signal?: AbortSignal
}

/**
 * Costs of the drums of a bar: another sound of the whole, another place in the phrase (fills stay at its end), each earlier use, each step
 * that was already played again after as many steps, chance; less if they go on from the bar before.
 */
const cost = { distance: 0.25, phrase: 0.6, reuse: 0.3, lag: 0.15, chance: 0.2, follow: 0.25 }
/** Number of bars whose drums are separated and tried for one bar. */
const tried = 3
/** Largest difference of tempo (share), of level (dB), and of the place in the bar (0..1). */
const limits = { tempo: 0.03, levelDb: 4, clash: 0.5 }
/** Drums are audible from this share of the power of their bar on; separated cleanly up to this share of leaked notes. */
const minShare = 0.06
const maxLeak = 0.35
/** Largest difference of the levels of drums (dB), and smallest one of their patterns (dB), below which nothing would change. */
const maxDrumsDb = 5
const minPatternDb = 4

const isClean = ({ share, leak }: BarDrums): boolean => share >= minShare && leak <= maxLeak

const differ = (own: BarDrums, other: BarDrums): boolean =>
  Math.abs(10 * Math.log10(other.power / own.power)) <= maxDrumsDb && patternDifference(own, other) >= minPatternDb

/** Measures of whole bars of a grid. */
const barsOf = (grid: StepGrid) => {
  const { steps, stepsPerBar: size } = grid
  const offsets = Array.from({ length: size }, (_, i) => i)
  const isBar = (first: number) =>
    first + size < steps.length && offsets.every((i) => steps[first + i]?.barPosition === i)
  const lengthOf = (first: number) => (steps[first + size - 1]?.end ?? 0) - (steps[first]?.start ?? 0)
  const powerOf = (first: number) => offsets.reduce((sum, i) => sum + (steps[first + i]?.power ?? 0), 0)
  const meanOver = (a: number, b: number, measure: (a: number, b: number) => number) =>
    offsets.reduce((sum, i) => sum + measure(a + i, b + i) / size, 0)
  return {
    all: steps.flatMap((_, step) => (isBar(step) ? [step] : [])),
    isBar,
    fit: (a: number, b: number) =>
      Math.abs(lengthOf(b) / lengthOf(a) - 1) <= limits.tempo &&
      Math.abs(10 * Math.log10(powerOf(b) / powerOf(a))) <= limits.levelDb &&
      meanOver(a, b, (one, other) => grid.barClash(one, other, 0)) <= limits.clash,
    distance: (a: number, b: number) => meanOver(a, b, grid.distance),
  }
}

/**
 * Chooses bars of a plan that get the drums of another bar, at the same place in the bar and at about the same tempo and level. A bar retains
 * its own where drums are inaudible or not cleanly separated, or where no other bar has another pattern.
 */
export const chooseLayers = async ({ grid, runs, drumsOf, seed, signal }: LayerRequest): Promise<Layer[]> => {
  const size = grid.stepsPerBar
  if (grid.kind !== 'beats' || size < 2) return []
  const bars = barsOf(grid)
  const path = createDrumPath(size)
  const chance = createEdgeNoise(seed)
  const layers: Layer[] = []

  const drumsFor = async (first: number, next: number | undefined): Promise<number> => {
    const own = await drumsOf(first)
    if (!isClean(own)) return first
    const candidates = bars.all
      .filter((drums) => drums !== first && bars.fit(first, drums) && path.allows(first, drums, next))
      .map((drums) => ({
        drums,
        price:
          cost.distance * bars.distance(first, drums) +
          cost.phrase * grid.phraseClash(first, drums, 0) +
          cost.reuse * path.usesOf(drums).length +
          cost.lag * path.repeatedAfter(path.usesOf(drums)[0]) +
          cost.chance * spread(chance(layers.length, drums)) -
          (path.last() === drums - 1 ? cost.follow : 0),
      }))
      .sort((a, b) => a.price - b.price || a.drums - b.drums)
    for (const { drums } of candidates.slice(0, tried)) {
      signal?.throwIfAborted()
      const other = await drumsOf(drums)
      if (isClean(other) && differ(own, other)) return drums
    }
    return first
  }

  for (const [index, { first, last }] of runs.entries()) {
    // The first step of a plan is entered within its beat.
    for (let step = first; step <= last; ) {
      const isWhole = bars.isBar(step) && step + size - 1 <= last && (index > 0 || step > first)
      const length = isWhole ? size : 1
      const steps = Array.from({ length }, (_, i) => step + i)
      const next = step + size > last ? runs[index + 1]?.first : step + size
      const drums = isWhole ? await drumsFor(step, next) : step
      if (drums !== step) layers.push({ run: index, first: step, drums })
      for (const played of steps) path.play(played, drums + played - step)
      step += length
    }
  }
  return layers
}
