import { sample } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { beatFMeasure } from '../../test/beat-metrics.ts'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { playPlain } from '../../test/plain-pieces.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { analyse } from './analyse.ts'
import { analysisRate } from './spectral-frames.ts'

/** Pieces that may be read at another tempo. Their seeds are other than those that the network has learned from. */
describe('a tempo is distinguished from its double, its half and its thirds', () => {
  const pieces = [
    ...(
      [
        ['4/4', 'funk', 60],
        ['4/4', 'piano', 200],
        ['4/4', 'four-floor', 72],
      ] as const
    ).map(([metre, style, bpm]) => ({
      ...{ metre, style, bpm },
      play: () => playPiece({ metre, style, bpm, seconds: 30, seed: 101 }),
    })),
    ...(
      [
        ['4/4', 'disco', 60],
        ['4/4', 'motown', 72],
        ['4/4', 'march', 72],
        ['4/4', 'bossa', 174],
        ['6/8', 'barcarolle', 72],
        ['6/8', 'lullaby', 132],
      ] as const
    ).map(([metre, style, bpm]) => ({
      ...{ metre, style, bpm },
      play: () => playEnsemble({ metre, style, bpm, seconds: 30, seed: 101 }),
    })),
    ...(
      [
        ['pads and kick', 130],
        ['march', 130],
        ['march', 150],
      ] as const
    ).map(([style, bpm]) => ({
      ...{ metre: '6/8', style, bpm },
      play: () => playPlain({ metre: '6/8', style, bpm, seconds: 25, seed: 1 }),
    })),
  ]
  test.each(sample(pieces, 4))('$metre $style at $bpm', ({ metre, bpm, play }) => {
    const found = analyse(play().samples)
    expect(found.bpm).toBeCloseTo(bpm, 0)
    expect(found.bars.metre).toBe(metre)
  })

  test.each([110, 150])('chords repeated in thirds of beats at %d', (bpm) => {
    const piece = playPlain({ metre: '6/8', style: 'repeated chords', bpm, seconds: 25, seed: 1 })
    expect(analyse(piece.samples).bpm).toBeCloseTo(bpm, 0)
  })
})

describe('beats are found where the accents lie between them', () => {
  const beatsOf = (samples: Float32Array) => analyse(samples).beats.map((beat) => beat / analysisRate)
  const ensembles = [
    ['4/4', 'bossa', 110, 61],
    ['4/4', 'bossa', 128, 62],
    ['4/4', 'bossa', 150, 63],
    ['6/8', 'barcarolle', 90, 62],
    ['6/8', 'barcarolle', 110, 63],
    ['6/8', 'barcarolle', 132, 61],
  ] as const
  test.each(sample(ensembles, 2))('%s %s at %d, seed %d', (metre, style, bpm, seed) => {
    const { samples, beats } = playEnsemble({ metre, style, bpm, pace: 'steady', seconds: 25, seed })
    expect(beatFMeasure(beats, beatsOf(samples))).toBeGreaterThan(0.95)
  })

  test.each([132, 140])('house at %d: on the kick, not on an open hat and a bass', (bpm) => {
    const { samples, beats } = playPlain({ metre: '4/4', style: 'house', bpm, seconds: 20, seed: 62 })
    expect(beatFMeasure(beats, beatsOf(samples))).toBeGreaterThan(0.95)
  })

  /** Adds a tone that fades. */
  const addTone = (
    samples: Float32Array,
    { at, hertz, gain, decay }: { at: number; hertz: number; gain: number; decay: number },
  ) => {
    const start = Math.round(at * analysisRate)
    for (let i = start; i < Math.min(samples.length, start + analysisRate / 4); i++) {
      const time = (i - start) / analysisRate
      samples[i] = (samples[i] ?? 0) + gain * Math.exp(-decay * time) * Math.sin(2 * Math.PI * hertz * time)
    }
  }

  test('a shuffle whose short chords are louder than the long ones', () => {
    const samples = new Float32Array(24 * analysisRate)
    for (let beat = 0; beat < 48; beat++) {
      addTone(samples, { at: beat / 2, hertz: 70, gain: 0.3, decay: 25 })
      for (const hertz of [220, 275, 330]) {
        addTone(samples, { at: beat / 2, hertz, gain: 0.1, decay: 15 })
        addTone(samples, { at: (beat + 2 / 3) / 2, hertz, gain: 0.13, decay: 15 })
      }
    }
    const beats = Array.from({ length: 48 }, (_, i) => i / 2)
    expect(beatFMeasure(beats, beatsOf(samples))).toBeGreaterThan(0.95)
  })
})

test('louder beats begin bars', () => {
  const { samples, downbeats } = playPlain({ metre: '3/4', style: 'accented clicks', bpm: 120, seconds: 20, seed: 1 })
  const { bars, beats } = analyse(samples)
  expect(bars.metre).toBe('3/4')
  const found = beats.filter((_, i) => bars.positions[i] === 0).map((beat) => beat / analysisRate)
  for (const time of downbeats) expect(found.some((other) => Math.abs(other - time) < 0.05)).toBe(true)
})
