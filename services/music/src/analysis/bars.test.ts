import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { type BeatAccents, findBars } from './bars.ts'
import { barModels } from './metres.ts'

const [quadruple] = barModels

/** Accents of beats at some positions in bars of four: bass, chords and a change of harmony at position 0, the snare at 1 and 3. */
const accentsOf = (positions: readonly number[], noise: number): BeatAccents => {
  const random = createRandom(4)
  const values = (value: (position: number) => number) =>
    positions.map((position) => Math.max(0, value(position) + noise * (random.next() - 0.5)))
  return {
    low: values((position) => (position === 0 ? 1 : position === 2 ? 0.6 : 0.2)),
    snare: values((position) => position % 2),
    chords: values((position) => (position === 0 ? 0.9 : 0.5)),
    harmony: values((position) => (position === 0 ? 0.8 : 0.1)),
  }
}

const steady = Array.from({ length: 64 }, (_, i) => (i + 3) % 4)
const share = (found: readonly number[], truth: readonly number[]) =>
  found.filter((position, i) => position === truth[i]).length / truth.length

test('bars are found from the accents of beats, with little doubt', () => {
  const { positions, likely } = findBars(accentsOf(steady, 0.6), quadruple)
  expect(positions).toEqual(steady)
  for (const [beat, position] of positions.entries()) expect(likely[beat * 4 + position]).toBeGreaterThan(0.95)
})

test('a dropped beat shifts only the bars after it', () => {
  const dropped = steady.map((position, i) => (i < 30 ? position : (position + 1) % 4))
  expect(share(findBars(accentsOf(dropped, 0.4), quadruple).positions, dropped)).toBeGreaterThan(0.95)
})

test('beats without accents are in doubt, and each row of probabilities adds up to 1', () => {
  const [ones, zeros] = [1, 0].map((value) => Array.from({ length: 8 }, () => value))
  const flat = findBars({ low: ones ?? [], snare: zeros ?? [], chords: ones ?? [], harmony: ones ?? [] }, quadruple)
  for (let beat = 0; beat < 8; beat++) {
    const row = flat.likely.subarray(beat * 4, beat * 4 + 4)
    expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1)
    expect(Math.max(...row)).toBeLessThan(0.3)
  }
})

test('a piece without beats has no bars', () => {
  expect(findBars({ low: [], snare: [], chords: [], harmony: [] }, quadruple).positions).toEqual([])
})
