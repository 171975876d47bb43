import { expect, test } from 'vitest'
import { playEnsemble } from '../../test/ensemble-pieces.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { activationsOf } from './activations.ts'
import { analyse, firstSound, listen } from './analyse.ts'
import { decodeBars } from './bar-pointer.ts'
import { decodeSixEight, halfBarLikeness } from './six-eight.ts'

/** What the bar pointer alone finds. */
const pathOf = (samples: Float32Array) => {
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const found = decodeBars(activations, start)
  if (!found) throw new Error('There is no pulse')
  return { activations, start, found }
}

test.each([
  ['barcarolle', 72],
  ['lullaby', 132],
] as const)(
  'bars whose second half is like the first are in 6/8, even if the bar pointer counts three beats: %s',
  (style, bpm) => {
    const { samples } = playEnsemble({ metre: '6/8', style, bpm, seconds: 30, seed: 101 })
    expect(pathOf(samples).found.model.metre).toBe('3/4')
    const { bpm: found, bars } = analyse(samples)
    expect([Math.round((found ?? 0) / 4) * 4, bars.metre]).toEqual([bpm, '6/8'])
  },
)

test('bars of three beats, divided or not, remain as they are', () => {
  const divided = playEnsemble({ metre: '3/4', style: 'scherzo', bpm: 120, seconds: 30, seed: 101 })
  const undivided = playPiece({ metre: '3/4', style: 'waltz', bpm: 170, seconds: 30, seed: 101 })
  for (const { samples } of [divided, undivided]) {
    const { activations, start, found } = pathOf(samples)
    expect(found.model.metre).toBe('3/4')
    expect(halfBarLikeness(activations, found)).toBeLessThan(0.1)
    expect(decodeSixEight(found, activations, start)).toBeUndefined()
  }
})
