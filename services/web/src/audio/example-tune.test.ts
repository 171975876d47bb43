import { expect, test } from 'vitest'
import { exampleTune, toWav } from './example-tune.ts'

test('the tune lasts four bars at 110 beats per minute, sounds throughout, and does not clip', () => {
  const samples = exampleTune()
  expect(samples.length / 22_050).toBeCloseTo((16 * 60) / 110, 2)
  const loudest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
  expect(loudest).toBeGreaterThan(0.3)
  expect(loudest).toBeLessThanOrEqual(1)
  for (let second = 0; second < 8; second += 1) {
    const part = samples.slice(second * 22_050, (second + 1) * 22_050)
    expect(part.some((sample) => Math.abs(sample) > 0.05)).toBe(true)
  }
})

test('it is the same each time', () => expect(exampleTune()).toEqual(exampleTune()))

test('a WAV file has its lengths in its header', () => {
  const bytes = toWav(new Float32Array([0, 1, -1]), 8_000)
  const view = new DataView(bytes.buffer)
  expect([bytes.length, view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)]).toEqual([
    50, 42, 8_000, 6,
  ])
  expect([0, 1, 2].map((index) => view.getInt16(44 + index * 2, true))).toEqual([0, 32_767, -32_767])
})
