import { describe, expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { limitTruePeak } from './limiter.ts'
import type { Block } from './pcm.ts'
import { createTruePeakMeter } from './true-peak.ts'

const RATE = 44_100

const truePeak = (block: Block, rate: number) => {
  const meter = createTruePeakMeter(rate, block.length)
  meter.push(block)
  return meter.finish()
}

/** A tone whose highest points lie between its samples (at a quarter of the rate, 45 degrees off), with bursts. */
const tone = (level: number, seconds = 2): Block =>
  [0, 1].map((channel) =>
    Float32Array.from({ length: seconds * RATE }, (_, i) => {
      const burst = i % 30_000 < 3_000 ? 1 : 0.3
      return level * burst * Math.sin((Math.PI / 2) * i + Math.PI / 4 + channel)
    }),
  )

describe('limiting the true peak', () => {
  test.each([1.2, 2, 4])('of a tone at %d brings it below the ceiling, between samples, too', (level) => {
    const block = tone(level)
    limitTruePeak(block, RATE, 0.9)
    expect(truePeak(block, RATE)).toBeLessThanOrEqual(0.905)
    expect(truePeak(block, RATE)).toBeGreaterThan(0.85)
  })

  test.each([8_000, 48_000, 96_000, 192_000])('works at %d Hz', (rate) => {
    const random = createRandom(rate)
    const block = [Float32Array.from({ length: rate }, () => 1.6 * (2 * random.next() - 1))]
    limitTruePeak(block, rate, 1)
    expect(truePeak(block, rate)).toBeLessThanOrEqual(1.02)
  })

  test('does not change audio that is below the ceiling', () => {
    const block = tone(0.5)
    limitTruePeak(block, RATE, 0.9)
    expect(block).toEqual(tone(0.5))
  })

  test('leaves audio long before and long after a peak as it was', () => {
    const block = [Float32Array.from({ length: 3 * RATE }, (_, i) => (i === RATE ? 1.8 : 0.2 * Math.sin(i * 0.05)))]
    const before = block[0]?.slice() ?? new Float32Array()
    limitTruePeak(block, RATE, 0.9)
    expect(block[0]?.subarray(0, RATE - 200)).toEqual(before.subarray(0, RATE - 200))
    expect(Math.abs((block[0]?.at(-1) ?? 0) - (before.at(-1) ?? 0))).toBeLessThan(1e-4)
  })
})
