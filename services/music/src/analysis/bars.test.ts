import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { type BeatAccents, findBars } from './bars.ts'

/** Accents of beats at some positions in bars of four: bass, chords and a change of harmony at position 0, the snare at 1 and 3. */
const accentsOf = (positions: readonly number[], noise: number): BeatAccents => {
  const random = createRandom(4)
  const values = (value: (position: number) => number) =>
    positions.map((position) => Math.max(0, value(position) + noise * (random.next() - 0.5)))
  return {
    accent: values(() => 1),
    low: values((position) => (position === 0 ? 1 : position === 2 ? 0.6 : 0.2)),
    snare: values((position) => position % 2),
    chords: values((position) => (position === 0 ? 0.9 : 0.5)),
    harmony: values((position) => (position === 0 ? 0.8 : 0.1)),
  }
}

const positionsFrom = (first: number, size: number) => Array.from({ length: 64 }, (_, i) => (i + first) % size)
const steady = positionsFrom(3, 4)
const share = (found: readonly number[], truth: readonly number[]) =>
  found.filter((position, i) => position === truth[i]).length / truth.length

const alike = (length: number): BeatAccents => {
  const ones = new Array<number>(length).fill(1)
  return { accent: ones, low: ones, snare: ones, chords: ones, harmony: ones }
}

test('bars are found from the accents of beats, with little doubt', () => {
  const { positions, likely } = findBars(accentsOf(steady, 0.6), '4/4')
  expect(positions).toEqual(steady)
  for (const [beat, position] of positions.entries()) expect(likely[beat * 4 + position]).toBeGreaterThan(0.9)
})

test('a dropped beat shifts only the bars after it', () => {
  const dropped = steady.map((position, i) => (i < 30 ? position : (position + 1) % 4))
  expect(share(findBars(accentsOf(dropped, 0.4), '4/4').positions, dropped)).toBeGreaterThan(0.95)
})

test.each([
  [3, 1],
  [4, 2],
] as const)('accents of a tenth tell bars of %d beats and where they begin', (size, first) => {
  const random = createRandom(8)
  const positions = positionsFrom(first, size)
  const louder = (by: number) => positions.map((position) => 1 + (position === 0 ? by : 0) + 0.04 * random.next())
  const accents = { accent: louder(0.15), low: louder(0), snare: louder(0.3), chords: louder(0), harmony: louder(0) }
  for (const decoded of ['3/4', '4/4'] as const) {
    const found = findBars(accents, decoded)
    expect(found.metre).toBe(`${size}/4`)
    expect(found.positions).toEqual(positions)
  }
})

test('bars of two beats in three parts remain so', () => {
  expect(findBars(accentsOf(steady, 0.6), '6/8')).toMatchObject({ metre: '6/8', beatsPerBar: 2 })
})

test('a piece whose beats are all alike begins with a bar, with doubt, and each row of probabilities adds up to 1', () => {
  const flat = findBars(alike(8), '4/4')
  expect(flat.positions).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
  for (let beat = 0; beat < 8; beat++) {
    const row = flat.likely.subarray(beat * 4, beat * 4 + 4)
    expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1)
    expect(Math.max(...row)).toBeLessThan(0.75)
  }
})

test('a piece without beats has no bars', () => {
  expect(findBars(alike(0), '4/4').positions).toEqual([])
})
