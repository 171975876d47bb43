import { expect, test } from 'vitest'
import { sameOctave } from './same-octave.ts'

test.each([
  ['half of a faster one', 67.7, 129.4, 135.4],
  ['half of a slower one', 60.5, 129.4, 121],
  ['twice a faster one', 190, 90, 95],
  ['the same', 90.9, 90, 90.9],
  ['two thirds', 86.3, 129.4, 86.3],
  ['unrelated', 175.7, 129.4, 175.7],
  ['unknown', null, 129.4, null],
  ['of an unknown parent', 67.7, null, 67.7],
])('the tempo of a continuation that is %s has the octave of its parent', (_name, bpm, parent, corrected) => {
  expect(sameOctave(bpm, parent)).toBe(corrected)
})
