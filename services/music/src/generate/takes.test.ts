import { readFileSync } from 'node:fs'
import { sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { tune } from '@trellis/test/support/tune'
import { describe, expect, test } from 'vitest'
import { decodeAll } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { createRandom } from '../dsp/random.ts'
import { measureSeam } from './measure-seam.ts'
import type { Run } from './plan.ts'
import { planTake, playTake, prepareMaterial } from './recombine.ts'
import type { StepGrid } from './steps.ts'

type Material = {
  readonly block: Block
  readonly sampleRate: number
}

const RATE = 22_050
const cut = ({ block, sampleRate }: Material, seconds: number): Material => ({
  block: sliceBlock(block, 0, Math.round(seconds * sampleRate)),
  sampleRate,
})

/** Swells of filtered noise with changing timbre, without a pulse. */
const wind = (seconds: number): Material => {
  const random = createRandom(5)
  let [low, time] = [0, 0]
  const samples = Float32Array.from({ length: seconds * RATE }, () => {
    time += 1 / RATE
    low += (0.03 + 0.025 * Math.sin(time * 0.7)) * (2 * random.next() - 1 - low)
    return low * (1 + 0.6 * Math.sin(time * 1.3))
  })
  return { block: [samples], sampleRate: RATE }
}

const materials: [name: string, make: () => Material | Promise<Material>][] = [
  ['a strictly periodic tune', () => decodeAll(tune())],
  ['a longer tune', () => decodeAll(tune({ seconds: 30 }))],
  ['a band, cut in a bar', () => cut(playBand({ bpm: 112, bars: 12, sampleRate: RATE }), 24.1)],
  ['a waltz without drums', () => cut(playBand({ bpm: 96, beatsPerBar: 3, drums: false, sampleRate: RATE }), 28)],
  ['wind', () => wind(25)],
]
const recordings = ['vibe-ace', 'brahms-hungarian-dance-5', 'solo-trumpet-90bpm'].map((name) => ({
  name,
  path: sharedData('audio', `${name}.ogg`),
}))

const pairs = <Item>(items: readonly Item[]): [Item, Item][] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b): [Item, Item] => [a, b]))

const stepsOf = (runs: readonly Run[]): number[] =>
  runs.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i))

/** How unlike two plans sound, step by step: 0 is identical, 1 is random. */
const unlikeness = ({ distance }: StepGrid, a: readonly Run[], b: readonly Run[]): number => {
  const [one, other] = [stepsOf(a), stepsOf(b)]
  const length = Math.min(one.length, other.length)
  return one.slice(0, length).reduce((sum, step, i) => sum + Math.min(1, distance(step, other[i] ?? 0)) / length, 0)
}

/** Takes of one context, which is analysed once, since the analysis does not depend on the take. */
const takesOf = async ({ block, sampleRate }: Material, seconds: number, firstSeed: number) => {
  const context = audioInMemory(block, sampleRate)
  const common = { context, frames: Math.round(seconds * sampleRate), prompt: '' }
  const material = await prepareMaterial(common)
  return Promise.all(
    [0, 1, 2, 3].map(async (take) => {
      const request = { ...common, seed: firstSeed + take }
      const { plan, ...rest } = planTake(material, request)
      return { plan, grid: material.grid, block: await playTake(material, { plan, ...rest }, request) }
    }),
  )
}

const expectDifferent = async (material: Material, seconds: number, firstSeed: number) => {
  const takes = await takesOf(material, seconds, firstSeed)
  for (const [a, b] of pairs(takes)) {
    expect(a.block).not.toEqual(b.block)
    expect(a.plan.runs).not.toEqual(b.plan.runs)
    expect(unlikeness(a.grid, a.plan.runs, b.plan.runs)).toBeGreaterThan(0.05)
  }
  return takes
}

describe('four takes', () => {
  const grid = materials.flatMap(([name, make]) =>
    [
      [3, 5],
      [10, 2 ** 53 - 6],
    ].map(([seconds = 0, seed = 0]) => ({ name, make, seconds, seed })),
  )
  test.each(sample(grid, 2))(
    'of $seconds s of $name differ from each other in plan, sound and bytes',
    async ({ make, seconds, seed }) => {
      await expectDifferent(await make(), seconds, seed)
    },
  )

  test.skipIf(recordings.some(({ path }) => !path)).each(sample(recordings, 1))(
    'of the recording $name differ, too (skipped without the shared audio)',
    async ({ path }) => {
      await expectDifferent(await decodeAll(readFileSync(path ?? '')), 8, 41)
    },
  )

  test('join better than cuts to other positions of the same music', async () => {
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const pieces = [
      [24.1, 112],
      [27.4, 117],
    ] as const
    for (const [seconds, bpm] of sample(pieces, 1)) {
      const whole = playBand({ bpm, bars: 14, sampleRate: RATE })
      const before = cut(whole, seconds)
      const percentile = (after: Block) =>
        measureSeam({ before: before.block, after, sampleRate: RATE }).distancePercentile ?? 100
      const takes = await takesOf(before, 6, 11)
      const cuts = [1.1, 3.3, 5.7, 7.9, 9.4, 11.8].map((from) =>
        sliceBlock(before.block, Math.round(from * RATE), blockLength(before.block)),
      )
      expect(mean(takes.map(({ block }) => percentile(block)))).toBeLessThan(mean(cuts.map(percentile)) - 10)
    }
  })
})
