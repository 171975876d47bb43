import { expect, test } from 'vitest'
import { soundOf } from './sound.ts'

test('what is unknown of a sound is named, never as 0', () => {
  expect(soundOf({ bpm: 110.11, key: 'C major', loudness_lufs: -16.75 })).toEqual(['110 bpm', 'C major', '−16.8 LUFS'])
  expect(soundOf({ bpm: null, key: null, loudness_lufs: null })).toEqual(['no steady beat', 'no key', 'silence'])
})
