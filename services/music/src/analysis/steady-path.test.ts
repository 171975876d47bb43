import { expect, test } from 'vitest'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { activationsOf } from './activations.ts'
import { firstSound, listen } from './analyse.ts'
import { analysisRate, frameRate } from './spectral-frames.ts'
import { decodeSteady } from './steady-path.ts'
import { decodeTempoLevel } from './tempo-level.ts'

const beat = 0.5
const notes = 240

/** Notes at all half beats; the loud ones lie between the beats in the middle half. */
const syncopated = (): Float32Array => {
  const samples = new Float32Array(Math.round((notes * beat * analysisRate) / 2))
  for (let note = 0; note < notes; note++) {
    const isOff = note >= notes / 4 && note < (3 * notes) / 4
    const isLoud = note % 2 === (isOff ? 1 : 0)
    const start = Math.round((note * beat * analysisRate) / 2)
    for (let i = 0; i < 0.2 * analysisRate && start + i < samples.length; i++) {
      const time = i / analysisRate
      const hertz = isLoud ? 220 : 880
      samples[start + i] =
        (samples[start + i] ?? 0) + (isLoud ? 0.5 : 0.25) * Math.exp(-20 * time) * Math.sin(2 * Math.PI * hertz * time)
    }
  }
  return samples
}

const decode = (samples: Float32Array) => {
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const found = decodeTempoLevel(activations, start)
  if (!found) throw new Error('There is no pulse')
  return { found, steady: decodeSteady(found, activations, start) }
}

/** Places of a path's beats within the true ones: tenths of a beat. */
const placesOf = ({ beats }: ReturnType<typeof decode>['found']): Set<number> =>
  new Set(beats.map(({ frame }) => Math.round((10 * frame) / frameRate / beat) % 10))

test('accents that move between the beats for some bars do not move the beats', () => {
  const { found, steady } = decode(syncopated())
  expect(placesOf(found).size).toBeGreaterThan(1)
  expect(placesOf(steady).size).toBe(1)
})

test('a tempo that changes is retained', () => {
  const { samples } = playPiece({ metre: '4/4', bpm: 94, style: 'folk', seconds: 25, seed: 7, pace: 'rubato' })
  const { found, steady } = decode(samples)
  expect(steady).toBe(found)
})
