import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { plainStyles, playPlain } from '../../test/plain-pieces.ts'
import { activationsOf } from './activations.ts'
import { analyse, firstSound, listen } from './analyse.ts'
import { decodeBars } from './bar-pointer.ts'
import { decodeRelatedTempo, pathsAtRelatedTempi } from './related-tempi.ts'
import { analysisRate } from './spectral-frames.ts'
import { decodeTempoLevel, pathTempo } from './tempo-level.ts'

/** Pieces whose tempo is not that of the octave which harmony and bass suggest. Their seeds are other than those of the weights. */
const misread = [
  ['6/8', 'repeated chords', 110],
  ['6/8', 'repeated chords', 130],
  ['6/8', 'repeated chords', 150],
  ['6/8', 'pads and kick', 130],
  ['6/8', 'march', 130],
  ['6/8', 'march', 150],
] as const

test.each(sample(misread, 2))('a tempo is chosen among related ones: %s, %s at %d', (metre, style, bpm) => {
  const { samples } = playPlain({ metre, style, bpm, seconds: 25, seed: 1 })
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const before = decodeTempoLevel(activations, firstSound(activations))
  expect(Math.abs((before ? pathTempo(before) : 0) / bpm - 1)).toBeGreaterThan(0.2)
  expect(analyse(samples).bpm).toBeCloseTo(bpm, 0)
})

test.each(sample(plainStyles, 4))('a few seconds do not suffice for another tempo: %s', (style) => {
  const { samples } = playPlain({ metre: '4/4', style, bpm: 110, seconds: 5, seed: 9 })
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const found = decodeTempoLevel(activations, firstSound(activations))
  if (!found) throw new Error('There is no pulse')
  expect(decodeRelatedTempo(found, activations, chroma, firstSound(activations))).toBe(found)
})

test('the first path comes first, and the others are at their tempi', () => {
  const { samples } = playPlain({ metre: '4/4', style: 'drums and bass', bpm: 100, seconds: 20, seed: 1 })
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const found = decodeBars(activations, firstSound(activations))
  if (!found) throw new Error('There is no pulse')
  const paths = pathsAtRelatedTempi(found, activations, firstSound(activations))
  expect(paths[0]).toBe(found)
  const ratios = paths.map((path) => pathTempo(path) / pathTempo(found))
  // A third of the tempo is slower than any.
  for (const [i, ratio] of [1, 1 / 2, 2 / 3, 3 / 2, 2].entries())
    expect(Math.abs(Math.log2((ratios[i] ?? 0) / ratio))).toBeLessThan(0.2)
})

test('louder beats are found to begin bars', () => {
  const { samples, downbeats } = playPlain({ metre: '3/4', style: 'accented clicks', bpm: 120, seconds: 20, seed: 1 })
  const { bars, beats } = analyse(samples)
  expect(bars.metre).toBe('3/4')
  const found = beats.filter((_, i) => bars.positions[i] === 0).map((beat) => beat / analysisRate)
  for (const time of downbeats) expect(found.some((other) => Math.abs(other - time) < 0.05)).toBe(true)
})
