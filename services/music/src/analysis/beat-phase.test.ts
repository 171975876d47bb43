import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { beatFMeasure } from '../../test/beat-metrics.ts'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { playPlain } from '../../test/plain-pieces.ts'
import { activationsOf } from './activations.ts'
import { firstSound, listen } from './analyse.ts'
import { decodeBars } from './bar-pointer.ts'
import { decodeBeatPhase, pathsBetweenBeats } from './beat-phase.ts'
import { decodeTempo } from './pulse.ts'
import { analysisRate, frameRate } from './spectral-frames.ts'

const heard = (samples: Float32Array) => {
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const found = decodeBars(activations, firstSound(activations))
  if (!found) throw new Error('There is no pulse')
  return { activations, chroma, found, firstSound: firstSound(activations) }
}

const secondsOf = (beats: readonly { frame: number }[]) => beats.map(({ frame }) => frame / frameRate)

/** Pieces whose accents lie between the beats. Their seeds are other than those of the weights. */
const offBeat = [
  ['4/4', 'bossa', 72, 62],
  ['4/4', 'bossa', 90, 63],
  ['4/4', 'bossa', 110, 61],
  ['6/8', 'barcarolle', 90, 62],
  ['6/8', 'barcarolle', 110, 63],
  ['6/8', 'barcarolle', 132, 61],
] as const

test.each(sample(offBeat, 2))(
  'beats are found where the accents lie between them: %s, %s at %d, seed %d',
  (metre, style, bpm, seed) => {
    const { samples, beats } = playEnsemble({ metre, style, bpm, pace: 'steady', seconds: 25, seed })
    const { activations, chroma, firstSound } = heard(samples)
    const before = decodeTempo({ activations, chroma, firstSound })
    if (!before) throw new Error('There is no pulse')
    expect(beatFMeasure(beats, secondsOf(before.beats))).toBeLessThan(0.1)
    expect(beatFMeasure(beats, secondsOf(decodeBeatPhase(before, activations, chroma).beats))).toBeGreaterThan(0.95)
  },
)

test.each([132, 140])('beats are on the kick, not on an open hat and a bass between: house at %d', (bpm) => {
  const { samples, beats } = playPlain({ metre: '4/4', style: 'house', bpm, seconds: 20, seed: 62 })
  const { activations, chroma, firstSound } = heard(samples)
  const before = decodeTempo({ activations, chroma, firstSound })
  if (!before) throw new Error('There is no pulse')
  expect(beatFMeasure(beats, secondsOf(decodeBeatPhase(before, activations, chroma).beats))).toBeGreaterThan(0.95)
})

/** A shuffle whose chords after the beats are louder than those on them. */
const shuffle = (bpm: number, seconds: number): Float32Array => {
  const samples = new Float32Array(seconds * analysisRate)
  const play = (at: number, hertz: number, gain: number, decay: number) => {
    const start = Math.round(at * analysisRate)
    for (let i = start; i < Math.min(samples.length, start + analysisRate / 4); i++) {
      const time = (i - start) / analysisRate
      samples[i] = (samples[i] ?? 0) + gain * Math.exp(-decay * time) * Math.sin(2 * Math.PI * hertz * time)
    }
  }
  for (let beat = 0; beat < (seconds * bpm) / 60; beat++) {
    play((beat * 60) / bpm, 70, 0.3, 25)
    for (const ratio of [1, 5 / 4, 3 / 2]) {
      play((beat * 60) / bpm, 220 * ratio, 0.1, 15)
      play(((beat + 2 / 3) * 60) / bpm, 220 * ratio, 0.13, 15)
    }
  }
  return samples
}

test('beats are on the long notes of a shuffle, not on the short ones', () => {
  const { activations, chroma, firstSound } = heard(shuffle(120, 24))
  const before = decodeTempo({ activations, chroma, firstSound })
  if (!before) throw new Error('There is no pulse')
  const beats = Array.from({ length: 48 }, (_, i) => i / 2)
  expect(beatFMeasure(beats, secondsOf(before.beats))).toBeLessThan(0.1)
  expect(beatFMeasure(beats, secondsOf(decodeBeatPhase(before, activations, chroma).beats))).toBeGreaterThan(0.95)
})

/** Of these the harmony is that of noise, or changes on any beat. */
const onBeat = ['accented clicks', 'drums', 'repeated chords'] as const

test.each(onBeat)('beats remain where the accents are: %s', (style) => {
  for (const metre of ['3/4', '6/8'] as const) {
    const { samples } = playPlain({ metre, style, bpm: 100, seconds: 20, seed: 61 })
    const { activations, chroma, found } = heard(samples)
    expect(decodeBeatPhase(found, activations, chroma)).toBe(found)
  }
})

test('the beats between those of a path are half a beat, or one or two thirds later', () => {
  const { samples } = playPlain({ metre: '4/4', style: 'drums', bpm: 100, seconds: 20, seed: 61 })
  const { found } = heard(samples)
  for (const [division, shifts] of [
    ['halves', [1 / 2]],
    ['swung', [1 / 3, 1 / 2]],
    ['thirds', [1 / 3, 2 / 3]],
  ] as const) {
    const paths = pathsBetweenBeats({ ...found, model: { ...found.model, division } })
    const [first, ...others] = paths.map(({ beats }) => secondsOf(beats))
    expect(others.length).toBe(shifts.length)
    for (const [i, shift] of shifts.entries())
      for (const [k, time] of (others[i] ?? []).entries()) expect(time - (first?.[k] ?? 0)).toBeCloseTo(shift * 0.6, 1)
  }
})

test('a few beats remain', () => {
  const { samples } = playEnsemble({ metre: '4/4', style: 'bossa', bpm: 72, pace: 'steady', seconds: 7, seed: 61 })
  const { activations, chroma, found } = heard(samples)
  expect(found.beats.length).toBeLessThanOrEqual(10)
  expect(decodeBeatPhase(found, activations, chroma)).toBe(found)
})
