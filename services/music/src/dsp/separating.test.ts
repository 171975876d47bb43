import { expect, test } from 'vitest'
import { harmonicPercussive } from './harmonic-percussive.ts'
import { trackPitch } from './pitch-track.ts'
import { repeatingBackground } from './repeating-background.ts'
import { emptySpectrogram, frameOf } from './spectrogram.ts'

test('a line along time is harmonic, and a line along frequency is percussive', () => {
  const spectrogram = emptySpectrogram(40, 60)
  for (let frame = 0; frame < 40; frame++) frameOf(spectrogram, frame)[20] = 1
  frameOf(spectrogram, 25).fill(1)
  const { harmonic, percussive } = harmonicPercussive(spectrogram, { timeTaps: 9, frequencyTaps: 9 })
  const at = (values: Float32Array, frame: number, bin: number) => values[frame * 60 + bin]
  expect([at(harmonic.values, 10, 20), at(percussive.values, 10, 20)]).toEqual([1, 0])
  expect([at(harmonic.values, 25, 40), at(percussive.values, 25, 40)]).toEqual([0, 1])
})

test('the background has what repeats, and not what sounds once', async () => {
  const spectrogram = emptySpectrogram(64, 50)
  for (let frame = 0; frame < 64; frame++) frameOf(spectrogram, frame)[5 + (frame % 8)] = 1
  frameOf(spectrogram, 30)[40] = 0.3
  const background = await repeatingBackground(spectrogram, { neighbours: 5, apart: 4 }, async () => undefined)
  expect(frameOf(background, 30)[5 + (30 % 8)]).toBe(1)
  expect(frameOf(background, 30)[40]).toBe(0)
})

test('a pitch is tracked by its harmonics, not an octave off, and through a gap', () => {
  const spectrogram = emptySpectrogram(30, 400)
  for (let frame = 0; frame < 30; frame++) {
    if (frame === 15) continue
    for (let harmonic = 1; harmonic <= 8; harmonic++) frameOf(spectrogram, frame)[harmonic * 20] = 1 / harmonic
  }
  const { hertz, salience } = trackPitch(spectrogram, {
    lowestHertz: 80,
    highestHertz: 1_000,
    binHertz: 10,
    harmonics: 8,
    decay: 0.85,
    resolution: 36,
    changeCost: 3,
    maxChange: 12,
  })
  for (const value of hertz) expect(Math.abs(value / 200 - 1)).toBeLessThan(0.03)
  expect(salience[15]).toBe(0)
})
