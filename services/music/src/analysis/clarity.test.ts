import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { clarityOf } from './clarity.ts'
import { frameRate, HOP } from './spectral-frames.ts'

/** Beats (samples) of 30 s at 100 bpm whose tempo swings by a share in each eight beats, and the onsets of those and of their halves. */
const played = (swing: number) => {
  const beats: number[] = []
  for (let frame = 20; frame < 30 * frameRate; ) {
    beats.push(frame * HOP)
    frame += (0.6 * frameRate) / (1 + swing * Math.sin((2 * Math.PI * beats.length) / 8))
  }
  const onsets = new Float32Array(31 * frameRate)
  for (const [i, beat] of beats.entries()) {
    onsets[Math.round(beat / HOP)] = 3
    onsets[Math.round((beat + (beats[i + 1] ?? beat)) / 2 / HOP)] = 1.5
  }
  return { onsets, beats }
}

test('onsets that repeat with the beats are clear, with rubato, too', () => {
  const [steady, rubato] = [played(0), played(0.15)].map(({ onsets, beats }) => clarityOf(onsets, beats))
  expect(steady).toBeGreaterThan(0.9)
  expect(rubato).toBeGreaterThan(0.9)
})

test('onsets that do not repeat are not clear, however strong they are', () => {
  const random = createRandom(5)
  const { beats, onsets } = played(0)
  expect(
    clarityOf(
      onsets.map(() => (random.next() < 0.05 ? 3 : 0)),
      beats,
    ),
  ).toBeLessThan(0.05)
})

test('silence, and a piece of too few beats to compare, are not clear', () => {
  const { beats, onsets } = played(0)
  expect(clarityOf(new Float32Array(onsets.length), beats)).toBe(0)
  expect(clarityOf(onsets, beats.slice(0, 2))).toBe(0)
  expect(clarityOf(onsets, [])).toBe(0)
})
