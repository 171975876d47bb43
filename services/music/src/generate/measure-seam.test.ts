import { sample } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { playBand } from '../../test/band.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { createRandom } from '../dsp/random.ts'
import { measureSeam } from './measure-seam.ts'

const RATE = 22_050
const band = playBand({ bpm: 104, bars: 14, sampleRate: RATE, channels: 2, seed: 4 })
const at = Math.round(20.3 * RATE)
const before = sliceBlock(band.block, 0, at)
const real = sliceBlock(band.block, at, blockLength(band.block))

const measure = (after: Block) => measureSeam({ before, after, sampleRate: RATE })
let measured: ReturnType<typeof measure> | undefined
/** The seam figures of the original continuation, measured once. */
const usual = () => {
  measured ??= measure(real)
  return measured
}
const random = createRandom(2)
const noise = before.map(() => Float32Array.from({ length: 8 * RATE }, () => 0.1 * (2 * random.next() - 1)))

describe('a seam', () => {
  test('in an uncut piece is ordinary: beat and level continue', () => {
    const { distancePercentile, loudnessStepLu, beatErrorMs } = usual()
    expect(distancePercentile).toBeLessThan(80)
    expect(loudnessStepLu).toBeLessThan(1.5)
    expect(beatErrorMs).toBeLessThan(10)
  })

  test.each<[string, Block]>([
    ['a cut to noise', noise],
    ['a cut to silence', noise.map((channel) => new Float32Array(channel.length))],
    [
      'a cut to another piece',
      playBand({ bpm: 139, tonic: 66, sampleRate: RATE, seed: 8 }).block.map((channel) => channel.subarray(61_234)),
    ],
    ['a click', real.map((channel) => channel.map((value, i) => (i === 0 ? 1 : value)))],
  ])('that is %s is stranger than the music itself', (_, after) => {
    const ordinary = usual().distancePercentile ?? 100
    expect(measure(after).distancePercentile).toBeGreaterThan(Math.max(70, ordinary + 10))
  })

  test.each(sample([20, 60, 120], 1))('that is %d ms late is measured as such', (milliseconds) => {
    const late = real.map((channel) => {
      const moved = new Float32Array(channel.length)
      moved.set(
        channel.subarray(0, channel.length - Math.round((milliseconds / 1000) * RATE)),
        Math.round((milliseconds / 1000) * RATE),
      )
      return moved
    })
    expect(Math.abs((measure(late).beatErrorMs ?? 0) - milliseconds)).toBeLessThan(10)
  })

  test('after which the music slows down is measured at its first beats', () => {
    const slower = playBand({ bpm: 102, bars: 14, sampleRate: RATE, channels: 2, seed: 4 })
    const [end, start] = [band.beats[32] ?? 0, slower.beats[32] ?? 0]
    const { beatErrorMs } = measureSeam({
      before: sliceBlock(band.block, 0, Math.round(end * RATE)),
      after: sliceBlock(slower.block, Math.round(start * RATE), blockLength(slower.block)),
      sampleRate: RATE,
    })
    // Each beat is 11 ms longer: the median of the first four is within 2 of these, and of eight it would be 4.
    const lengthening = 60_000 / 102 - 60_000 / 104
    expect(beatErrorMs).toBeLessThan(3 * lengthening)
  })

  test.each(sample([3, 6], 1))('that is %d dB louder is measured as such', (decibels) => {
    const louder = real.map((channel) => channel.map((value) => value * 10 ** (decibels / 20)))
    const step = usual().loudnessStepLu ?? 0
    expect(Math.abs((measure(louder).loudnessStepLu ?? 0) - decibels)).toBeLessThanOrEqual(step + 0.1)
  })

  test('of silence has unknown figures', () => {
    const silence = [new Float32Array(RATE)]
    expect(measureSeam({ before: silence, after: silence, sampleRate: RATE })).toMatchObject({
      loudnessStepLu: null,
      beatErrorMs: null,
    })
  })
})
