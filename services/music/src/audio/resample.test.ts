import { expect, test } from 'vitest'
import { createResampler, resample } from './resample.ts'

const sine = (hertz: number, rate: number, seconds: number) =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate))

const largestError = (actual: Float32Array, expected: Float32Array, margin: number) =>
  Math.max(
    ...actual.slice(margin, expected.length - margin).map((value, i) => Math.abs(value - (expected[i + margin] ?? 0))),
  )

test.each([
  [44_100, 22_050],
  [48_000, 22_050],
  [8_000, 22_050],
  [22_050, 48_000],
  [96_000, 44_100],
  [44_101, 22_050],
])('a tone resampled from %d to %d Hz has the same phase and level', (from, to) => {
  const converted = resample(sine(440, from, 0.5), from, to)
  expect(converted).toHaveLength(Math.ceil((Math.round(from * 0.5) * to) / from))
  expect(largestError(converted, sine(440, to, 0.5), 400)).toBeLessThan(1e-3)
})

test('frequencies above the lower Nyquist rate are removed, not aliased', () => {
  const converted = resample(sine(15_000, 48_000, 0.5), 48_000, 22_050)
  expect(Math.max(...converted.slice(400, -400).map(Math.abs))).toBeLessThan(1e-3)
})

test('resampling in pieces of any size equals resampling the whole', () => {
  const samples = sine(997, 44_100, 0.3)
  const resampler = createResampler(44_100, 16_000)
  const parts: number[] = []
  for (let at = 0, size = 1; at < samples.length; at += size, size = (size * 7) % 1009)
    parts.push(...resampler.push(samples.subarray(at, at + size)))
  parts.push(...resampler.flush())
  expect(Float32Array.from(parts)).toEqual(resample(samples, 44_100, 16_000))
})
