import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { type BarEvidence, findBars } from './bars.ts'

const positionsFrom = (first: number, size: number) => Array.from({ length: 64 }, (_, i) => (i + first) % size)
const steady = positionsFrom(3, 4)
const share = (found: readonly number[], truth: readonly number[]) =>
  found.filter((position, i) => position === truth[i]).length / truth.length

/** Beats in one harmony, with the evidence that each is the first of its bar. */
const inOneHarmony = (downbeats: BarEvidence['downbeats']): BarEvidence => ({
  downbeats,
  harmonyChanges: downbeats.map(() => 0),
})

/** How likely each beat is the first of its bar, by evidence with some noise. */
const sharesAt = (positions: readonly number[], noise: number, sureness = 2): number[] => {
  const random = createRandom(4)
  return positions.map((position) => {
    const odds = (position === 0 ? sureness : -sureness) + noise * (random.next() - 0.5)
    return 1 / (1 + Math.exp(-odds))
  })
}
const evidenceAt = (positions: readonly number[], noise: number) => inOneHarmony(sharesAt(positions, noise))

test('bars are found from how likely each beat begins one, with little doubt', () => {
  const { positions, likely } = findBars(evidenceAt(steady, 4), '4/4')
  expect(positions).toEqual(steady)
  for (const [beat, position] of positions.entries()) expect(likely[beat * 4 + position]).toBeGreaterThan(0.9)
})

test('a beat with other evidence does not change its bar', () => {
  const shares = sharesAt(steady, 0)
  shares[21] = 0
  shares[23] = 1
  expect(steady[21]).toBe(0)
  expect(findBars(inOneHarmony(shares), '4/4').positions).toEqual(steady)
})

test('a dropped beat shifts only the bars after it', () => {
  const dropped = steady.map((position, i) => (i < 30 ? position : (position + 1) % 4))
  expect(share(findBars(inOneHarmony(sharesAt(dropped, 2, 4)), '4/4').positions, dropped)).toBeGreaterThan(0.95)
})

test.each([
  ['3/4', 3],
  ['6/8', 2],
] as const)('bars of %s have %d beats', (metre, size) => {
  const found = findBars(evidenceAt(positionsFrom(1, size), 2), metre)
  expect(found).toMatchObject({ metre, beatsPerBar: size, positions: positionsFrom(1, size) })
})

test('beats of which nothing is known continue the bars before and after them', () => {
  const shares = sharesAt(steady, 2).map((share, i) => (i < 5 || i > 50 ? undefined : share))
  expect(findBars(inOneHarmony(shares), '4/4').positions).toEqual(steady)
})

test('where each half of a bar may be its first, the harmony decides, which changes with the bars', () => {
  const downbeats = steady.map((position) => (position % 2 === 0 ? 0.4 : 0.05))
  const harmonyChanges = steady.map((position, i) => (position === 0 && i % 3 > 0 ? 0.6 : 0.1))
  expect(findBars({ downbeats, harmonyChanges }, '4/4').positions).toEqual(steady)
})

test('harmonies that hardly differ decide nothing', () => {
  const shares = sharesAt(steady, 0)
  const harmonyChanges = steady.map((position) => (position === 1 ? 0.501 : 0.5))
  expect(findBars({ downbeats: shares, harmonyChanges }, '4/4').positions).toEqual(steady)
})

test('a piece whose beats are all alike begins with a bar, with doubt, and each row of probabilities adds up to 1', () => {
  const flat = findBars(inOneHarmony(new Array<number>(8).fill(0.25)), '4/4')
  expect(flat.positions).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
  for (let beat = 0; beat < 8; beat++) {
    const row = flat.likely.subarray(beat * 4, beat * 4 + 4)
    expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1)
    expect(Math.max(...row)).toBeLessThan(0.75)
  }
})

test('a piece begins with a bar where its sound begins, not at the beats before', () => {
  const downbeats = [undefined, undefined, ...new Array<number>(8).fill(0.25)]
  expect(findBars(inOneHarmony(downbeats), '4/4').positions).toEqual([2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
})

test('a piece without beats has no bars', () => {
  expect(findBars(inOneHarmony([]), '4/4').positions).toEqual([])
})
