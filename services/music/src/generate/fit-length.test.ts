import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playBand } from '../../test/band.ts'
import { analyse } from '../analysis/analyse.ts'
import { blockLength, sliceBlock } from '../audio/pcm.ts'
import { fitLength } from './fit-length.ts'

const RATE = 22_050
const { block } = playBand({ bpm: 112, bars: 5, sampleRate: RATE, channels: 2 })
const length = blockLength(block)

/** The largest difference between consecutive samples. */
const largestStep = (samples: Float32Array) =>
  samples.reduce((max, value, i) => (i === 0 ? 0 : Math.max(max, Math.abs(value - (samples[i - 1] ?? 0)))), 0)

test.each(sample([-3, -1.7, -0.2, 0.4, 2.1, 3], 3))(
  'a block becomes %d %% longer to the sample, without clicks, in the same key, and its beginning stays as it is',
  (percent) => {
    const frames = Math.round(length * (1 + percent / 100))
    const fitted = fitLength(block, frames, RATE)
    expect(blockLength(fitted)).toBe(frames)
    expect(sliceBlock(fitted, 0, 3 * RATE)).toEqual(sliceBlock(block, 0, 3 * RATE))
    for (const [index, channel] of fitted.entries())
      expect(largestStep(channel)).toBeLessThanOrEqual(1.1 * largestStep(block[index] ?? channel))
    expect(analyse(fitted[0] ?? new Float32Array()).key?.name).toBe(analyse(block[0] ?? new Float32Array()).key?.name)
  },
)

test('each channel is spliced at the same places', () => {
  const [left = new Float32Array()] = block
  const [one, other] = fitLength([left, left.slice()], length - 2_000, RATE)
  expect(one).toEqual(other)
})

test.each([
  [100, 120],
  [300, 290],
  [2_000, 1_950],
])('a block of %d frames becomes %d frames, however short', (from, to) => {
  const short = sliceBlock(block, 0, from).map((channel) => channel.slice())
  expect(blockLength(fitLength(short, to, RATE))).toBe(to)
})
