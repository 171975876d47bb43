import { describe, expect, test } from 'vitest'
import { decodeAll } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { audioInMemory, concatenateAudio } from '../audio/audio-path.ts'
import { createLoudnessMeter } from '../audio/loudness.ts'
import { type Block, blockLength, joinBlocks } from '../audio/pcm.ts'
import { blocksOf, type StoredAudio } from '../audio/stored-audio.ts'
import { createTruePeakMeter } from '../audio/true-peak.ts'
import { encodeMp3 } from './mp3-encode.ts'
import { crc16 } from './mp3-header.ts'
import { joinSpine, normalisingGain, withGain } from './spine.ts'

const RATE = 22_050
const level = (value: number, frames: number) =>
  audioInMemory([new Float32Array(frames).fill(value), new Float32Array(frames).fill(-value)], RATE)

const whole = async (audio: StoredAudio): Promise<Block> => {
  const blocks: Block[] = []
  for await (const block of blocksOf(audio)) blocks.push(block)
  return joinBlocks(blocks, audio.channels)
}

describe('a spine', () => {
  const pieces = [level(0.1, 30_001), level(0.2, 500), level(0.3, 70_000)]

  test('is the exact concatenation of its pieces', async () => {
    const [left] = await whole(joinSpine(pieces, 0))
    expect(left).toHaveLength(100_501)
    expect([left?.[30_000], left?.[30_001], left?.[30_500], left?.[30_501]]).toEqual(
      [0.1, 0.2, 0.2, 0.3].map(Math.fround),
    )
  })

  test.each([1, 441, 44_100])('has the same length with a crossfade of %d frames, and no step', async (frames) => {
    const joined = joinSpine(pieces, frames)
    const block = await whole(joined)
    expect(blockLength(block)).toBe(100_501)
    expect(joined.frames).toBe(100_501)
    const [left] = block
    if (frames === 441) expect(Math.abs((left?.[30_001] ?? 0) - 0.1)).toBeLessThan(0.005)
    expect(left?.[100_000]).toBeCloseTo(0.3, 5)
    const [part] = await joined.read(29_990, 700)
    expect(part).toEqual(left?.slice(29_990, 30_690))
  })

  test('rejects pieces of different shapes', () => {
    expect(() => concatenateAudio([level(0, 10), audioInMemory([new Float32Array(10)], RATE)])).toThrow(
      /different shapes/,
    )
  })

  test('is normalised to -14 LUFS, or as near as true peaks of -1 dB allow', async () => {
    const { block } = playBand({ bars: 4, sampleRate: RATE })
    for (const gain of [0.05, 1]) {
      const audio = audioInMemory(
        block.map((channel) => channel.map((value) => value * gain)),
        RATE,
      )
      const normalised = await whole(withGain(audio, await normalisingGain(audio)))
      const [loudness, peaks] = [createLoudnessMeter({ sampleRate: RATE, channels: 2 }), createTruePeakMeter(RATE, 2)]
      loudness.push(normalised)
      peaks.push(normalised)
      const peak = 20 * Math.log10(peaks.finish())
      expect(peak).toBeLessThan(-0.99)
      expect(Math.abs((loudness.integrated() ?? 0) + 14) < 0.1 || Math.abs(peak + 1) < 0.05).toBe(true)
    }
    expect(await normalisingGain(audioInMemory([new Float32Array(RATE)], RATE))).toBe(1)
  })
})

describe('an MP3 export', () => {
  test.each([
    [44_100, 2, 50_000],
    [44_100, 1, 44_975],
    [48_000, 2, 99_999],
    [22_050, 2, 50_001],
    [8_000, 1, 16_001],
  ] as const)('of %d Hz, %d channels and %d frames plays exactly as long', async (sampleRate, channels, frames) => {
    const { block } = playBand({ bars: 2, sampleRate, channels })
    const cut = block.map((channel) => channel.slice(0, frames))
    const decoded = await decodeAll(await encodeMp3(audioInMemory(cut, sampleRate)))
    expect(decoded).toMatchObject({ container: 'mp3', sampleRate, channels })
    expect(blockLength(decoded.block)).toBe(frames)
  })

  test('of a rate that MP3 does not support is resampled to the next higher one', async () => {
    const { block } = playBand({ bars: 2, sampleRate: 96_000 })
    const decoded = await decodeAll(
      await encodeMp3(
        audioInMemory(
          block.map((channel) => channel.slice(0, 100_001)),
          96_000,
        ),
      ),
    )
    expect(decoded.sampleRate).toBe(48_000)
    expect(blockLength(decoded.block)).toBe(Math.ceil(100_001 / 2))
  })

  test("has LAME's CRC-16 in its header", () => {
    expect(crc16(Buffer.from('123456789'))).toBe(0xbb3d)
  })
})
