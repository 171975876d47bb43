import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { createRealFourier } from './real-fourier.ts'
import { createShortTimeFourier, frameSizeFor, frameStart, framesToCover } from './short-time-fourier.ts'

const random = createRandom(1)

test('a real transform agrees with its definition, and its inverse restores the frame', () => {
  const { bins, forward, inverse } = createRealFourier(16)
  const frame = Float64Array.from({ length: 16 }, () => random.next() - 0.5)
  const [re, im] = [new Float64Array(bins), new Float64Array(bins)]
  forward(frame, re, im)
  for (let bin = 0; bin < bins; bin++) {
    const angle = (i: number) => (2 * Math.PI * bin * i) / 16
    expect(re[bin]).toBeCloseTo(
      frame.reduce((sum, value, i) => sum + value * Math.cos(angle(i)), 0),
      12,
    )
    expect(im[bin]).toBeCloseTo(
      frame.reduce((sum, value, i) => sum - value * Math.sin(angle(i)), 0),
      12,
    )
  }
  const restored = new Float64Array(16)
  inverse(re, im, restored)
  for (const [i, value] of frame.entries()) expect(restored[i]).toBeCloseTo(value, 12)
})

test.each([1, 255, 256, 1_000, 4_097])('all frames of %d samples together restore them', (length) => {
  const { hop, bins, analyse, synthesise } = createShortTimeFourier(1_024)
  const samples = Float32Array.from({ length }, () => random.next() - 0.5)
  const restored = new Float32Array(length)
  const [re, im] = [new Float64Array(bins), new Float64Array(bins)]
  for (let frame = 0; frame < framesToCover(length, hop); frame++) {
    analyse(samples, frameStart(frame, hop), re, im)
    synthesise(re, im, restored, frameStart(frame, hop))
  }
  for (let i = 0; i < length; i++) expect(restored[i]).toBeCloseTo(samples[i] ?? 0, 6)
})

test('frames last about 93 ms at any rate', () => {
  expect([8_000, 22_050, 44_100, 48_000, 96_000, 192_000].map(frameSizeFor)).toEqual([
    1_024, 2_048, 4_096, 4_096, 8_192, 16_384,
  ])
})
