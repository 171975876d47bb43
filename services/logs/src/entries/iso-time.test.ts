import { expect, test } from 'vitest'
import { isoOf } from './iso-time.ts'

test('times are formatted as by Date.toISOString', () => {
  const moments = [0, -0, 1, -1, 999, 1000.9, -1000.9, 1_717_495_200_123, -62_167_219_200_000, -62_167_219_200_001]
  const far = [253_402_300_799_999, 253_402_300_800_000, 8_640_000_000_000_000, -8_640_000_000_000_000]
  const spread = Array.from({ length: 60_000 }, (_, index) => -62_167_219_200_000 + index * 5_259_493_333)
  for (const time of [...moments, ...far, ...spread]) expect(isoOf(time)).toBe(new Date(time).toISOString())
  expect(() => isoOf(Number.NaN)).toThrow(RangeError)
})
