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
  test.each([[220], [440], [880]])('of a single A of %s Hz is on A, without confidence', (hertz) => {
    const key = keyOf(sine(hertz))
    expect(key?.name).toMatch(/^A m/)
    expect(key?.confidence).toBeLessThan(0.1)
  })

  test('of decaying clicks of one pitch has no confidence', () => {
    const click = (time: number) => Math.exp(-time / 0.02) * sine(1000)(time)
    expect(keyOf((time) => click(time % 0.6))?.confidence ?? 0).toBeLessThan(0.1)
  })

  test('of a triad is certain', () => {
    const key = keyOf((time) => sine(220)(time) + sine(277.18)(time) + sine(329.63)(time))
    expect(key?.name).toBe('A major')
    expect(key?.confidence).toBeGreaterThan(0.8)
  })
})
