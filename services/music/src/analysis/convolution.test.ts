import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import {
  addChannels,
  applyElu,
  type Channels,
  type Convolution,
  convolve,
  createChannels,
  padding,
} from './convolution.ts'

const random = createRandom(7)
const values = (count: number) => Float32Array.from({ length: count }, () => random.next() - 0.5)

/** Channels of random values. */
const filled = (count: number, frames: number): Channels => {
  const channels = createChannels(count, frames)
  for (const channel of channels) channel.set(values(frames), padding)
  return channels
}

/** The same by definition, with zeros beyond both ends. */
const byDefinition = ({ taps, dilation, weights, bias }: Convolution, source: Channels, frames: number) =>
  Array.from(bias, (offset, output) =>
    Array.from({ length: frames }, (_, frame) =>
      source.reduce((sum, channel, input) => {
        let part = 0
        for (let tap = 0; tap < taps; tap++) {
          const at = frame + (tap - (taps - 1) / 2) * dilation
          const weight = weights[(output * source.length + input) * taps + tap] ?? 0
          if (at >= 0 && at < frames) part += weight * (channel[padding + at] ?? 0)
        }
        return sum + part
      }, offset),
    ),
  )

test.each([
  [1, 1, 50],
  [3, 1, 2_100],
  [5, 1, 30],
  [5, 256, 700],
  [5, 256, 4_200],
] as const)(
  'a convolution of %d taps, %d frames apart, over %d frames is that of its definition',
  (taps, dilation, frames) => {
    const [inputs, outputs] = [3, 2]
    const convolution = {
      inputs,
      outputs,
      taps,
      dilation,
      weights: values(outputs * inputs * taps),
      bias: values(outputs),
    }
    const source = filled(inputs, frames)
    const target = createChannels(outputs, frames)
    convolve(convolution, source, target, frames)
    const expected = byDefinition(convolution, source, frames)
    for (const [output, found] of target.entries()) {
      const misses = expected[output]?.map((value, frame) => Math.abs(value - (found[padding + frame] ?? 0))) ?? [1]
      expect(Math.max(...misses)).toBeLessThan(1e-5)
      expect(found.subarray(0, padding).some((value) => value !== 0)).toBe(false)
      expect(found.subarray(padding + frames).some((value) => value !== 0)).toBe(false)
    }
  },
)

test('the exponential linear unit changes negative values alone, towards -1', () => {
  const channels = [Float32Array.of(-100, -1, -0.001, 0, 0.5, 3)]
  applyElu(channels)
  const expected = [-1, Math.exp(-1) - 1, Math.exp(-0.001) - 1, 0, 0.5, 3]
  for (const [i, value] of expected.entries()) expect(channels[0]?.[i]).toBeCloseTo(value, 6)
})

test('channels are added one by one', () => {
  const channels = [Float32Array.of(1, 2), Float32Array.of(3, 4)]
  addChannels(channels, [Float32Array.of(10, 20), Float32Array.of(30, 40)])
  expect(channels).toEqual([Float32Array.of(11, 22), Float32Array.of(33, 44)])
})
