import { exploredSeeds } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { createRandom } from '../dsp/random.ts'
import type { BarDrums } from './bar-drums.ts'
import { chooseLayers, type Layer } from './layer-bars.ts'
import type { Run } from './plan.ts'
import { layersOf, planTake, playTake, prepareMaterial } from './recombine.ts'
import type { StepGrid } from './steps.ts'

const RATE = 22_050

type Played = { readonly step: number; readonly drums: number; readonly isLayered: boolean }

/** The steps of a plan in playing order, with the steps whose drums they get. */
const playedOf = (runs: readonly Run[], layers: readonly Layer[], size: number): Played[] =>
  runs.flatMap(({ first, last }, run) =>
    Array.from({ length: last - first + 1 }, (_, i) => {
      const step = first + i
      const layer = layers.find((one) => one.run === run && step >= one.first && step < one.first + size)
      return { step, drums: layer ? layer.drums + step - layer.first : step, isLayered: layer !== undefined }
    }),
  )

const longestRun = (steps: readonly number[]): number => {
  let [longest, current] = [0, 0]
  for (const [i, step] of steps.entries()) {
    current = steps[i - 1] === step - 1 ? current + 1 : 1
    longest = Math.max(longest, current)
  }
  return longest
}

/** Checks what holds of the layers of any plan; runs of random plans may follow one another without a jump. */
const expectGuarded = ({ steps, stepsPerBar: size }: StepGrid, runs: readonly Run[], layers: readonly Layer[]) => {
  const played = playedOf(runs, layers, size)
  for (const { run, first, drums } of layers) {
    const { first: from = 0, last = 0 } = runs[run] ?? {}
    expect(first).toBeGreaterThanOrEqual(from)
    expect(first + size - 1).toBeLessThanOrEqual(last)
    const lengthOf = (bar: number) => (steps[bar + size - 1]?.end ?? 0) - (steps[bar]?.start ?? 0)
    expect(Math.abs(lengthOf(drums) / lengthOf(first) - 1)).toBeLessThanOrEqual(0.03)
    for (let i = 0; i < size; i++) expect(steps[drums + i]?.barPosition).toBe(steps[first + i]?.barPosition)
  }
  const ownRun = longestRun(played.map(({ step }) => step))
  expect(longestRun(played.map(({ drums }) => drums))).toBeLessThanOrEqual(Math.max(8 * size, ownRun))
  // A pair is new where it is chosen, and the drums of the bar before never sound again.
  const pairs = played.map(({ step, drums }) => `${step}/${drums}`)
  for (const [i, { drums, isLayered }] of played.entries()) {
    if (!isLayered) continue
    expect(pairs.indexOf(pairs[i] ?? '')).toBe(i)
    expect(drums).not.toBe(played[i - size]?.drums)
  }
  return played
}

describe('layers of random plans', () => {
  const randomPlan = (seed: number) => {
    const random = createRandom(seed)
    const below = (limit: number) => Math.floor(random.next() * limit)
    const size = 2 + below(3)
    const count = size * (6 + below(30))
    const lead = below(size)
    let time = 0
    const steps = Array.from({ length: count }, (_, i) => {
      const start = time
      time += 10_000 + below(500)
      return {
        ...{ start, end: time, pulse: start, barPosition: (i + lead) % size },
        ...{ level: 0, power: 0.5 + random.next(), density: 1 },
      }
    })
    const clash = (a: number, b: number, later: number) =>
      ((((steps[b]?.barPosition ?? 0) - (steps[a]?.barPosition ?? 0) - later) % size) + size) % size === 0 ? 0 : 1
    const grid = {
      ...{ kind: 'beats', steps, stepsPerBar: size, endStep: count - 1, endPhase: 0.5, medianLevel: 0 },
      ...{ distance: () => 1, barClash: clash, phraseClash: () => random.next(), phraseEnd: () => 0 },
      ...{ barEnd: () => 0, stepsOfSection: () => undefined },
    } as StepGrid
    const runs = Array.from({ length: 3 + below(20) }, () => {
      const first = below(count - 2)
      return { first, last: Math.min(count - 2, first + below(8 * size)) }
    })
    const described = steps.map(
      (): BarDrums => ({
        share: random.next() < 0.9 ? 0.3 : 0.01,
        power: 1,
        leak: random.next() < 0.9 ? 0.1 : 0.6,
        pattern: Array.from({ length: 12 }, () => -30 * random.next()),
      }),
    )
    const separated: number[] = []
    const drumsOf = async (first: number) => {
      separated.push(first)
      return described[first] as BarDrums
    }
    return { grid, runs, described, drumsOf, separated }
  }

  test.each(exploredSeeds(20))('seed %d: retain the place in the bar and neither loop nor copy', async (seed) => {
    const { grid, runs, described, drumsOf, separated } = randomPlan(seed)
    const layers = await chooseLayers({ grid, runs, drumsOf, seed })
    const played = expectGuarded(grid, runs, layers)
    for (const { first, drums } of layers)
      for (const bar of [first, drums]) expect(described[bar]).toMatchObject({ share: 0.3, leak: 0.1 })
    // Bounds the time: no bar of the plan causes more than four bars to be separated.
    expect(separated.length).toBeLessThanOrEqual((4 * played.length) / grid.stepsPerBar)
  })
})

describe('layers of a piece with drums', async () => {
  const materialOf = async (style: string, bpm: number, metre: '4/4' | '6/8' = '4/4') => {
    const { samples } = playEnsemble({ style, metre, bpm, seconds: 24, seed: 77 })
    const common = { context: audioInMemory([samples], RATE), frames: 40 * RATE, prompt: '' }
    return { common, material: await prepareMaterial(common) }
  }
  const { common, material } = await materialOf('boom bap', 90)
  const choose = async (seed: number, prompt = 'more variation', signal?: AbortSignal) => {
    const request = { ...common, seed, prompt, ...(signal && { signal }) }
    const take = planTake(material, { ...common, seed, prompt })
    return { take, request, layers: await layersOf(material, take, request) }
  }

  test.each(exploredSeeds(3))('seed %d: make fewer steps repetitions of what was played', async (seed) => {
    const { take, layers } = await choose(seed)
    const played = expectGuarded(material.grid, take.plan.runs, layers)
    const again = (values: readonly unknown[]) => values.length - new Set(values).size
    expect(layers.length).toBeGreaterThan(0)
    const drums = played.map((one) => one.drums)
    for (let lag = 1; lag <= drums.length / 3; lag++) {
      const repeated = drums.filter((step, i) => i >= lag && step === drums[i - lag]).length
      expect(repeated / (drums.length - lag)).toBeLessThan(0.8)
    }
    expect(again(played.map(({ step, drums }) => `${step}/${drums}`))).toBeLessThan(
      again(played.map(({ step }) => step)),
    )
  })

  test('are determined by the seed, and audible', async () => {
    const { take, request, layers } = await choose(3)
    const fresh = await prepareMaterial(common)
    expect(await layersOf(fresh, planTake(fresh, request), request)).toEqual(layers)
    const [block, again] = [await playTake(material, take, request), await playTake(fresh, take, request)]
    expect(block).toEqual(again)
    const plain = await playTake(material, { ...take, steering: { ...take.steering, variety: 0 } }, request)
    expect(plain).not.toEqual(block)
  })

  test('are none without a prompt for variation, or with one for no drums', async () => {
    for (const prompt of ['', 'steady', 'varied, no drums']) expect((await choose(4, prompt)).layers).toEqual([])
  })

  test('are cancelled by their signal', async () => {
    await expect(choose(5, 'varied', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  test.each([
    ['has no drums', 'prelude', 90, '4/4'],
    ['has the same drums in each bar', 'slow rock', 72, '6/8'],
  ] as const)('are none in a piece that %s', async (_, style, bpm, metre) => {
    const other = await materialOf(style, bpm, metre)
    const request = { ...other.common, seed: 1, prompt: 'varied' }
    expect(await layersOf(other.material, planTake(other.material, request), request)).toEqual([])
  })
})
