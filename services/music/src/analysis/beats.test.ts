import { describe, expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { extendBeats, tempoOf } from './beats.ts'
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

describe('a pulse that is extended', () => {
  const interval = (60 * analysisRate) / 120
  const played = (count: number, strays: Record<number, number>) =>
    Array.from({ length: count }, (_, i) => (i + 10) * interval + (strays[i] ?? 0) * interval)

  test('keeps its time where its last and first beats stray', () => {
    const beats = played(40, { 0: -0.1, 2: 0.15, 34: 0.06, 35: -0.16, 37: 0.04, 39: 0.09 })
    const { beats: all, before } = extendBeats(beats, 70 * interval)
    expect(before).toBe(10)
    expect(all).toHaveLength(70)
    for (const [i, beat] of all.entries())
      if (i < 10 || i >= 50) expect(Math.abs(beat / interval - i), `beat ${i}`).toBeLessThan(0.01)
  })

  test('goes on from its last beat at the tempo that it has reached', () => {
    const slowing = Array.from({ length: 60 }, (_, i) => interval * (i + 0.002 * i ** 2))
    const { beats } = extendBeats(slowing, 80 * interval)
    const next = (beats[61] ?? 0) - (beats[60] ?? 0)
    expect(next / interval).toBeGreaterThan(1 + 0.004 * 50)
    expect(next / interval).toBeLessThan(1 + 0.004 * 60)
    expect(beats[60]).toBeCloseTo((slowing.at(-1) ?? 0) + next, 6)
  })

  test('goes on from its last beat where it is not steady', () => {
    const rubato = Array.from({ length: 20 }, (_, i) => interval * (i + 0.3 * Math.sin(i)))
    const { beats } = extendBeats(rubato, 22 * interval)
    expect(beats.slice(0, 20)).toEqual(rubato)
    expect((beats[21] ?? 0) - (beats[20] ?? 0)).toBeCloseTo((beats[20] ?? 0) - (beats[19] ?? 0), 6)
  })

  test('has no beat just before the end, which is where the next bar would begin', () => {
    const beats = played(16, { 3: 0.02, 9: -0.02, 15: -0.03 })
    expect(extendBeats(beats, 26.01 * interval).beats).toHaveLength(26)
    // A continuation would begin with a beat that is as late as the end is after this one.
    expect(extendBeats(beats, 26.04 * interval).beats).toHaveLength(27)
  })

  test('of few beats begins at zero at the earliest, and ends before the end', () => {
    expect(extendBeats([interval * 0.95, interval * 2], interval * 3)).toEqual({
      beats: [0, 0.95, 2].map((beat) => beat * interval),
      before: 1,
    })
  })
})
