import { expect, test } from 'vitest'
import { matchedGains } from './loudness.ts'

test('a louder sound is played as loud as the quieter one, and none is amplified', () => {
  const [louder, quieter] = matchedGains([-14, -20])
  expect(louder).toBeCloseTo(0.501, 3)
  expect(quieter).toBe(1)
})

test('silence has no loudness, and changes nothing', () => {
  expect(matchedGains([null, -20])).toEqual([1, 1])
  expect(matchedGains([null, null])).toEqual([1, 1])
})
