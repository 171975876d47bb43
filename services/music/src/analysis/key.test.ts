import { describe, expect, test } from 'vitest'
import { chromaHop, findPeaks } from './chroma.ts'
import { estimateKey } from './key.ts'
import { analysisRate } from './spectral-frames.ts'

/** The key of 10 s of a sound, by its samples over time (s). */
const keyOf = (at: (time: number) => number) => {
  const samples = Float32Array.from({ length: 10 * analysisRate }, (_, i) => at(i / analysisRate))
  return estimateKey(findPeaks(samples, 0, Math.ceil(samples.length / chromaHop)))
}
const sine = (hertz: number) => (time: number) => 0.3 * Math.sin(2 * Math.PI * hertz * time)

describe('the key', () => {
  test.each([[220], [440], [880]])('of a single A of %s Hz is unknown', (hertz) => {
    expect(keyOf(sine(hertz))).toBeNull()
  })

  test.each([
    ['decaying clicks', 20],
    ['shorter clicks', 5],
    ['longer clicks', 60],
  ])('of a metronome of %s of one or two pitches is unknown', (_, decay) => {
    const click = (time: number, hertz: number) => Math.exp((-1000 * time) / decay) * sine(hertz)(time)
    expect(keyOf((time) => click(time % 0.6, 1_000))).toBeNull()
    // The first of four is higher.
    expect(keyOf((time) => click(time % 0.5, time % 2 < 0.5 ? 1_600 : 1_000))).toBeNull()
  })

  test('of bursts of one pitch is unknown', () => {
    expect(keyOf((time) => (time % 0.5 < 0.02 ? sine(1_000)(time) : 0))).toBeNull()
  })

  test('of a scale in short notes is found', () => {
    const scale = [0, 2, 4, 5, 7, 9, 11, 12]
    const note = (time: number) => 440 * 2 ** ((scale[Math.floor(time / 0.25) % 8] ?? 0) / 12)
    expect(keyOf((time) => Math.exp(-20 * (time % 0.25)) * sine(note(time))(time % 0.25))?.name).toBe('A major')
  })

  test('of a triad is certain', () => {
    const key = keyOf((time) => sine(220)(time) + sine(277.18)(time) + sine(329.63)(time))
    expect(key?.name).toBe('A major')
    expect(key?.confidence).toBeGreaterThan(0.8)
  })
})
