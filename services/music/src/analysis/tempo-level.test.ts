import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { activationsOf } from './activations.ts'
import { analyse, firstSound, listen } from './analyse.ts'
import { decodeBars } from './bar-pointer.ts'
import { bpmOf, tempiAround } from './beat-lengths.ts'
import { tempoOf } from './beats.ts'
import { analysisRate, HOP } from './spectral-frames.ts'
import { alternativesTo } from './tempo-level.ts'

/** Pieces of other seeds than those that the weights were fitted on; by the bar pointer alone, they are at twice or half their tempo. */
const misread = [
  {
    name: 'funk at 60',
    bpm: 60,
    play: () => playPiece({ metre: '4/4', style: 'funk', bpm: 60, seconds: 30, seed: 101 }),
  },
  {
    name: 'piano at 200',
    bpm: 200,
    play: () => playPiece({ metre: '4/4', style: 'piano', bpm: 200, seconds: 30, seed: 101 }),
  },
  ...(
    [
      ['disco', 60],
      ['motown', 72],
      ['march', 72],
      ['bossa', 174],
    ] as const
  ).map(([style, bpm]) => ({
    ...{ name: `${style} at ${bpm}`, bpm },
    play: () => playEnsemble({ metre: '4/4', style, bpm, seconds: 30, seed: 101 }),
  })),
]

test.each(sample(misread, 2))(
  'a tempo is distinguished from its double and its half by harmony and bass: $name',
  ({ bpm, play }) => {
    expect(analyse(play().samples).bpm).toBeCloseTo(bpm, 0)
  },
)

/** Clicks in 6/8: loud ones on the beats, the first of each bar higher, and two soft ones between. */
const clicksInSix = (bpm: number, seconds: number): Float32Array => {
  const samples = new Float32Array(seconds * analysisRate)
  const third = (20 * analysisRate) / bpm
  const clickLength = 0.03 * analysisRate
  for (let click = 0; (click + 1) * third < samples.length; click++) {
    const [isBeat, isFirst] = [click % 3 === 0, click % 6 === 0]
    const [hertz, gain, decay] = isBeat ? [isFirst ? 1600 : 1100, isFirst ? 0.9 : 0.6, 120] : [900, 0.25, 150]
    for (let i = 0; i < clickLength; i++) {
      const time = i / analysisRate
      samples[Math.round(click * third) + i] = gain * Math.sin(2 * Math.PI * hertz * time) * Math.exp(-decay * time)
    }
  }
  return samples
}

test('twice the tempo is not looked for as far away as three halves of it', () => {
  const samples = clicksInSix(100, 26)
  expect(analyse(samples).bpm).toBeCloseTo(100, 0)
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const found = decodeBars(activations, firstSound(activations))
  const alternatives = found ? alternativesTo(found, activations, firstSound(activations)) : []
  const tempi = alternatives.map(({ found }) => tempoOf(found.beats.map(({ frame }) => frame * HOP)) ?? 0)
  expect(tempi.map((bpm) => Math.round(bpm / 10))).toEqual([5, 20])
})

test('a path within a range of tempi is at one of them, and no better than the best of all', () => {
  const { samples } = playPiece({ metre: '4/4', style: 'rock', bpm: 110, seconds: 15, seed: 5 })
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const [best, slower] = [undefined, tempiAround(55, 0.3)].map((range) =>
    decodeBars(activations, firstSound(activations), range),
  )
  const tempi = slower?.beats.map(({ tempo }) => bpmOf(tempo)) ?? []
  expect(Math.min(...tempi)).toBeGreaterThan(44)
  expect(Math.max(...tempi)).toBeLessThan(69)
  expect(slower?.score).toBeLessThan(best?.score ?? 0)
})

test('a range of tempi is cut off at the slowest and the fastest, and there is none around others', () => {
  const { lowest, highest } = tempiAround(200, 0.4) ?? { lowest: 0, highest: 0 }
  expect(Math.abs(bpmOf(lowest) / (200 * 2 ** -0.4) - 1)).toBeLessThan(0.02)
  expect(bpmOf(highest)).toBeCloseTo(208, 6)
  expect([40, 230].map((bpm) => tempiAround(bpm, 0.4))).toEqual([undefined, undefined])
})
