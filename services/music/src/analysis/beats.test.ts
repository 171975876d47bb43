import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { tempoOf } from './beats.ts'
import { analysisRate } from './spectral-frames.ts'

const beatsAt = (bpm: number, count: number, jitterSeconds = 0): number[] => {
  const random = createRandom(3)
  return Array.from(
    { length: count },
    (_, i) => analysisRate * ((60 * i) / bpm + jitterSeconds * (random.next() - 0.5)),
  )
}

test('a tempo is exact to a thousandth, even if each beat is up to 10 ms early or late', () => {
  expect(Math.abs((tempoOf(beatsAt(97, 40, 0.02)) ?? 0) / 97 - 1)).toBeLessThan(0.001)
})

test('a tempo is that of most of a piece, where its end is slower', () => {
  const steady = beatsAt(120, 60)
  const last = steady.at(-1) ?? 0
  const slow = beatsAt(80, 8).map((beat) => last + beat)
  expect(tempoOf([...steady, ...slow.slice(1)])).toBeCloseTo(120, 6)
})

test('few beats have a tempo, and fewer than three have none', () => {
  expect(tempoOf(beatsAt(90, 3))).toBeCloseTo(90, 6)
  expect(tempoOf(beatsAt(90, 2))).toBeNull()
})
