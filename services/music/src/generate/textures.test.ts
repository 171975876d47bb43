import { expect, test } from 'vitest'
import { audioInMemory } from '../audio/audio-path.ts'
import { createRandom } from '../dsp/random.ts'
import { median } from '../dsp/statistics.ts'
import { measureSeam } from './measure-seam.ts'
import { planTake, playTake, prepareMaterial } from './recombine.ts'

const RATE = 22_050
/** A minor pentatonic scale from A3, in semitones. */
const scale = [0, 3, 7, 10, 12, 15, 19]

/** Long notes of five harmonics that swell and fade, and overlap: no beat. */
const pad = (seconds: number, seed: number): Float32Array => {
  const random = createRandom(seed)
  const samples = new Float32Array(seconds * RATE)
  for (let note = 0; note < seconds * 1.2; note++) {
    const hertz = 220 * 2 ** ((scale[Math.floor(random.next() * scale.length)] ?? 0) / 12)
    const start = Math.round((random.next() * (seconds + 4) - 4) * RATE)
    const length = Math.round((3 + 4 * random.next()) * RATE)
    for (let harmonic = 1; harmonic <= 5; harmonic++) {
      const phase = 2 * Math.PI * random.next()
      for (let i = Math.max(0, -start); i < Math.min(length, samples.length - start); i++) {
        const level = (0.05 / harmonic) * Math.sin((Math.PI * i) / length) ** 1.5
        samples[start + i] =
          (samples[start + i] ?? 0) + level * Math.sin((2 * Math.PI * hertz * harmonic * i) / RATE + phase)
      }
    }
  }
  return samples
}

test('a sustained pad goes on as if nothing had been joined to it', async () => {
  const percentiles: number[] = []
  for (const seed of [1, 4]) {
    const block = [pad(24, seed)]
    const common = { context: audioInMemory(block, RATE), frames: 8 * RATE, prompt: '' }
    const material = await prepareMaterial(common)
    expect(material.grid.kind).toBe('texture')
    for (let take = 0; take < 4; take++) {
      const request = { ...common, seed: take }
      const after = await playTake(material, planTake(material, request), request)
      percentiles.push(measureSeam({ before: block, after, sampleRate: RATE }).distancePercentile ?? 100)
    }
  }
  expect(median(percentiles)).toBeLessThan(75)
  expect(Math.max(...percentiles)).toBeLessThan(97)
})
