import { expect, test } from 'vitest'
import { audioInMemory } from '../audio/audio-path.ts'
import { monoOf } from '../audio/pcm.ts'
import { createResampler } from '../audio/resample.ts'
import { createRandom } from '../dsp/random.ts'
import { measureFeatures, settledParts, sliceFeatures } from './features.ts'
import { decodeFeatures, encodeFeatures } from './features-file.ts'
import { monoPieceOf } from './mono-piece.ts'
import { analysisRate } from './spectral-frames.ts'

const noise = (sampleRate: number, seconds: number, channels = 2) => {
  const random = createRandom(sampleRate)
  return Array.from({ length: channels }, () =>
    Float32Array.from({ length: Math.round(seconds * sampleRate) }, () => 2 * random.next() - 1),
  )
}

test.each([8_000, 22_050, 44_100, 44_101, 48_000, 192_000])(
  'ranges of a piece at %d Hz are bit-identical to the whole',
  async (sampleRate) => {
    const block = noise(sampleRate, 3.21)
    const resampler = createResampler(sampleRate, analysisRate, 'analysis')
    const parts = [resampler.push(monoOf(block)), resampler.flush()]
    const whole = Float32Array.from(parts.flatMap((part) => [...part]))
    const piece = monoPieceOf(audioInMemory(block, sampleRate))
    expect(piece.samples).toBe(whole.length)
    for (const [start, end] of [
      [0, whole.length],
      [0, 1],
      [-50, 40],
      [31_003, 31_004],
      [22_049, 44_101],
      [whole.length - 3, whole.length + 100],
    ] as const) {
      expect(await piece.read(start, end)).toEqual(whole.subarray(Math.max(0, start), end))
    }
  },
)

test.each([8_000, 44_100, 48_000])(
  'settled parts of a piece at %d Hz do not change when the piece continues',
  async (sampleRate) => {
    const block = noise(sampleRate, 5)
    const end = Math.round(3.3 * sampleRate)
    const short = monoPieceOf(
      audioInMemory(
        block.map((channel) => channel.subarray(0, end)),
        sampleRate,
      ),
    )
    const long = monoPieceOf(audioInMemory(block, sampleRate))
    const settled = settledParts(short.samples)
    expect(settled).toBeGreaterThan(30)
    const [before, after] = [await measureFeatures(short, 0, settled), await measureFeatures(long, 0)]
    expect(sliceFeatures(after, 0, settled)).toEqual(before)
    expect(await measureFeatures(long, 20, settled)).toEqual(sliceFeatures(before, 20))
    expect(decodeFeatures(encodeFeatures(0, before))).toEqual({ firstPart: 0, parts: settled, features: before })
  },
)
