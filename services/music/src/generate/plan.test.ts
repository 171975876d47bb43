import { exploredSeeds } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playBand } from '../../test/band.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { analyse } from '../analysis/analyse.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { blockLength, sliceBlock } from '../audio/pcm.ts'
import { createTruePeakMeter } from '../audio/true-peak.ts'
import { planTake, playTake, prepareMaterial } from './recombine.ts'

const RATE = 22_050
const { block } = playBand({ bpm: 126, bars: 14, sampleRate: RATE, channels: 1 })
const context = audioInMemory(sliceBlock(block, 0, Math.round(25.3 * RATE)), RATE)
const material = await prepareMaterial({ context, frames: 0, prompt: '' })
const { grid } = material

const plan = (seconds: number, seed: number, prompt = '') => {
  const request = { context, frames: Math.round(seconds * RATE), prompt, seed }
  return { request, take: planTake(material, request) }
}

const truePeak = (samples: Float32Array[]) => {
  const meter = createTruePeakMeter(RATE, 1)
  meter.push(samples)
  return meter.finish()
}

test.each(exploredSeeds(4))('seed %d: no run is longer than eight bars, and jumps seldom leave the bar', (seed) => {
  const { runs } = plan(40, seed).take.plan
  for (const { first, last } of runs) expect(last - first + 1).toBeLessThanOrEqual(8 * grid.stepsPerBar)
  const clashes = runs.slice(1).map(({ first }, i) => grid.barClash(runs[i]?.last ?? 0, first, 1))
  expect(clashes.filter((clash) => clash > 0.5).length).toBeLessThanOrEqual(clashes.length / 3)
})

test.each(exploredSeeds(3))('seed %d: of 30 s every beat is where the piece would have it', async (seed) => {
  const { request, take } = plan(30, seed)
  expect(take.plan.isWhole).toBe(false)
  const made = await playTake(material, take, request)
  expect(blockLength(made)).toBe(30 * RATE)
  expect(truePeak(made)).toBeLessThanOrEqual(1.01 * Math.max(truePeak(block), 10 ** (-1 / 20)))
  const [sound = new Float32Array()] = made
  const beat = 60 / 126
  const strayed = analyse(sound)
    .beats.map((at) => (context.frames + at) / RATE / beat)
    .map((beats) => Math.abs(beats - Math.round(beats)) * beat)
  expect(strayed.length).toBeGreaterThan(60)
  // Those at the very end have nothing after them to be judged by.
  expect(Math.max(...strayed.slice(0, -2))).toBeLessThan(0.025)
})

test.each([
  [96, 0.25],
  [100, 0.5],
  [126, 0.5],
])('takes of a loop at %d bpm that is cut %f beats into a bar continue that beat', async (bpm, beats) => {
  const [loop = new Float32Array()] = playBand({ bpm, bars: 4, sampleRate: RATE, channels: 1 }).block
  const length = Math.round((64 + beats) * (60 / bpm) * RATE)
  const looped = audioInMemory([Float32Array.from({ length }, (_, i) => loop[i % loop.length] ?? 0)], RATE)
  const request = { context: looped, frames: 8 * RATE, prompt: '' }
  const loops = await prepareMaterial(request)
  for (const seed of [0, 1, 2, 3]) {
    const [first] = planTake(loops, { ...request, seed }).plan.runs
    expect(loops.grid.barClash(loops.grid.endStep, first?.first ?? 0, 0)).toBeLessThan(0.1)
  }
})

test.each([
  [{ metre: '4/4', style: 'folk', bpm: 90, seconds: 30, seed: 101 }, 22.85],
  [{ metre: '6/8', style: 'arpeggio', bpm: 132, seconds: 30, seed: 101 }, 22.66],
] as const)(
  'takes of $style at $bpm bpm begin at the position in the bar at which the piece ends',
  async (score, end) => {
    const { samples } = playPiece(score)
    const piece = audioInMemory([samples.slice(0, Math.round(end * RATE))], RATE)
    const request = { context: piece, frames: 8 * RATE, prompt: '' }
    const prepared = await prepareMaterial(request)
    for (const seed of [0, 1, 2, 3]) {
      const [first] = planTake(prepared, { ...request, seed }).plan.runs
      expect(prepared.grid.barClash(prepared.grid.endStep, first?.first ?? 0, 0)).toBeLessThan(0.5)
    }
  },
)

test('an outro ends with a bar and rings out: silence at the end, music shortly before it', async () => {
  const { request, take } = plan(20, 3, 'an outro')
  const last = take.plan.runs.at(-1)?.last ?? 0
  expect(take.plan.isWhole).toBe(true)
  expect(grid.barEnd(last)).toBeGreaterThan(0.5)
  const made = await playTake(material, take, request)
  expect(loudnessOf(sliceBlock(made, Math.round(19.9 * RATE), 20 * RATE), RATE) ?? -100).toBeLessThan(-50)
  expect(loudnessOf(sliceBlock(made, 10 * RATE, 14 * RATE), RATE)).toBeGreaterThan(-30)
})

test('a prompt for drums prefers denser stretches to one for fewer', () => {
  const density = (prompt: string) => {
    // Openings differ by seed more than by prompt, so several are needed.
    const steps = [4, 5, 6, 7].flatMap((seed) =>
      plan(30, seed, prompt).take.plan.runs.flatMap(({ first, last }) => grid.steps.slice(first, last + 1)),
    )
    return steps.reduce((sum, step) => sum + step.density, 0) / steps.length
  }
  expect(density('more drums')).toBeGreaterThan(density('less drums'))
})

test.each([502991717, ...exploredSeeds(3)])(
  'seed %d: of a source shorter than the continuation no loop is played',
  async (seed) => {
    const short = audioInMemory(sliceBlock(block, 0, Math.round(6.2 * RATE)), RATE)
    const few = await prepareMaterial({ context: short, frames: 0, prompt: '' })
    const { plan: made } = planTake(few, { context: short, frames: 20 * RATE, prompt: '', seed })
    const steps = made.runs.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i))
    // A passage that occurs twice may be a repeat; a loop occurs three times.
    for (let lag = 1; lag <= steps.length / 3; lag++) {
      const repeated = steps.filter((step, i) => i >= lag && step === steps[i - lag]).length
      expect(repeated / (steps.length - lag)).toBeLessThan(0.8)
    }
  },
)
