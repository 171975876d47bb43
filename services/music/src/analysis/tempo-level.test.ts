import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { activationsOf } from './activations.ts'
import { analyse, firstSound, listen } from './analyse.ts'
import { decodeBars } from './bar-pointer.ts'
import { bpmOf, tempiAround } from './beat-lengths.ts'

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
