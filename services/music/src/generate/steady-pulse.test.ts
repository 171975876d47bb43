import { expect, test } from 'vitest'
import { steadyPulse } from './steady-pulse.ts'

const beats = (count: number, at: (beat: number) => number) => Array.from({ length: count }, (_, beat) => at(beat))

test('beats that are played early or late, and a last one that is none, lie on the pulse', () => {
  const played = beats(30, (beat) => 10_000 * beat + (beat % 3) * 90 + (beat === 29 ? 700 : 0))
  for (const [beat, pulse] of steadyPulse(played).entries())
    expect(Math.abs(pulse - 10_000 * beat - 90)).toBeLessThan(100)
})

test('a tempo that changes slowly is followed', () => {
  const at = (beat: number) => 10_000 * beat + 15 * beat ** 2
  for (const [beat, pulse] of steadyPulse(beats(60, at)).entries()) expect(Math.abs(pulse - at(beat))).toBeLessThan(600)
})

test('beats without a steady pulse, and too few of them, stay as they are', () => {
  const rubato = beats(20, (beat) => 10_000 * beat + 1_500 * Math.sin(beat))
  expect(steadyPulse(rubato)).toEqual(rubato)
  expect(steadyPulse([0, 9_000, 21_000])).toEqual([0, 9_000, 21_000])
  expect(steadyPulse([])).toEqual([])
})
