import { createHash } from 'node:crypto'
import { randomFrom, runSeed } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { decodeAll, fixturePiece, wavOf } from '../../test/audio-files.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import type { Block } from '../audio/pcm.ts'
import { encodeSamples } from '../audio/stored-audio.ts'
import { flacBytes } from './flac-encode.ts'

const encoded = async (block: Block, sampleRate: number): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(flacBytes(audioInMemory(block, sampleRate))))

/** Samples of 24 bits from a function of the position. */
const samples = (length: number, value: (at: number) => number): Float32Array =>
  Float32Array.from(
    { length },
    (_, at) => Math.max(-8_388_608, Math.min(8_388_607, Math.round(value(at) * 8_388_608))) / 8_388_608,
  )

const random = randomFrom(runSeed)
const noise = (level: number) => () => (random() * 2 - 1) * level
const sine = (at: number) => 0.7 * Math.sin(at * 0.031)

describe('a FLAC file', () => {
  test.each<[string, number, () => Block]>([
    ['a stereo piece', 22_050, fixturePiece],
    ['a mono tone', 44_100, () => [samples(10_000, sine)]],
    ['full-scale noise', 48_000, () => [samples(9_001, noise(1)), samples(9_001, noise(1))]],
    ['quiet noise', 96_000, () => [samples(4_096, noise(0.0001))]],
    [
      'alternating extremes',
      192_000,
      () => [samples(5_000, (at) => (at % 2 ? 1 : -1)), samples(5_000, (at) => (at % 2 ? -0.5 : 0.25))],
    ],
    ['equal channels', 44_100, () => [samples(8_192, sine), samples(8_192, sine)]],
    ['inverted channels', 44_100, () => [samples(8_192, sine), samples(8_192, (at) => -sine(at))]],
    ['silence with one click', 8_000, () => [samples(12_289, (at) => (at === 6_000 ? 1 : 0))]],
    ['silence', 37_000, () => [samples(4_100, () => 0), samples(4_100, () => 0)]],
    ['more than 127 blocks', 11_025, () => [samples(130 * 4_096 + 1, (at) => (at % 50) / 400)]],
  ])('of %s is decoded to exactly the same samples', async (_, sampleRate, make) => {
    const block = make()
    const bytes = await encoded(block, sampleRate)
    const audio = await decodeAll(bytes)
    expect(audio).toMatchObject({ container: 'flac', sampleRate, channels: block.length })
    expect(Buffer.from(encodeSamples(audio.block)).equals(encodeSamples(block))).toBe(true)
    expect(bytes.subarray(26, 42)).toEqual(createHash('md5').update(encodeSamples(block)).digest())
  })

  test('of music is smaller than its WAV file', async () => {
    const [flac, wav] = [await encoded(fixturePiece(), 22_050), await wavOf(fixturePiece(), 22_050)]
    expect(flac.length).toBeLessThan(wav.length * 0.9)
  })
})
