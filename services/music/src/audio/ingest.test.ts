import { describe, expect, test } from 'vitest'
import { bytesOf, chunk, wavOf } from '../../test/audio-files.ts'
import { flacSilence } from '../../test/flac-silence.ts'
import { bytesInMemory } from './byte-source.ts'
import { audioLimits, ingestAudio } from './ingest.ts'
import { type Block, blockLength, joinBlocks } from './pcm.ts'

const read = async (bytes: Uint8Array, limits = audioLimits) => {
  const audio = await ingestAudio(bytesInMemory(bytes), limits)
  const blocks: Block[] = []
  for await (const block of audio.blocks) blocks.push(block)
  return { ...audio, block: joinBlocks(blocks, audio.channels) }
}

const tone = (seconds: number, sampleRate: number, channels = 1): Block =>
  Array.from({ length: channels }, (_, channel) =>
    Float32Array.from(
      { length: Math.round(seconds * sampleRate) },
      (_value, i) => 0.1 * (channel + 1) * Math.sin(i * 0.05),
    ),
  )

const wavHead = (sampleRate: number, channels: number, dataLength: number) => {
  const format = bytesOf(
    true,
    { u16: 1 },
    { u16: channels },
    { u32: sampleRate },
    { u32: 0 },
    { u16: 2 * channels },
    { u16: 16 },
  )
  return bytesOf(true, 'RIFF', { u32: 0 }, 'WAVE', chunk(true, 'fmt ', format), 'data', { u32: dataLength })
}

describe('an upload', () => {
  test.each([
    [8_000, 1],
    [44_100, 2],
    [192_000, 1],
  ])('of %d Hz and %d channels retains both', async (sampleRate, channels) => {
    const audio = await read(await wavOf(tone(1.1, sampleRate, channels), sampleRate))
    expect(audio).toMatchObject({ sampleRate, channels })
    expect(blockLength(audio.block)).toBe(Math.round(1.1 * sampleRate))
  })

  test('of six channels is mixed to two without its bass channel and without clipping', async () => {
    const block = tone(1, 8_000, 6).map((channel) => channel.fill(1))
    const { block: mixed } = await read(await wavOf(block, 8_000))
    expect(mixed).toHaveLength(2)
    expect(Math.max(...mixed.map((channel) => channel[500] ?? 0))).toBeCloseTo(1, 5)
  })

  test.each([
    ['that is named as the centre is audible on both sides', 0x107, [true, true]],
    ['that is named as the bass is not audible', 0x10b, [false, false]],
    ['without a name is that behind on the left', 0, [true, false]],
  ])('of four channels, the third of which %s', async (_, speakers, isAudible) => {
    const samples = Buffer.alloc(8_000 * 4 * 2)
    for (let frame = 0; frame < 8_000; frame++) samples.writeInt16LE(16_384, (frame * 4 + 2) * 2)
    const format = bytesOf(
      true,
      ...[{ u16: 0xfffe }, { u16: 4 }, { u32: 8_000 }, { u32: 0 }, { u16: 8 }, { u16: 16 }],
      ...[{ u16: 22 }, { u16: 16 }, { u32: speakers }, { u16: 1 }, '\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71'],
    )
    const chunks = [chunk(true, 'fmt ', format), chunk(true, 'data', samples)]
    const { block } = await read(bytesOf(true, 'RIFF', { u32: 0 }, 'WAVE', ...chunks))
    expect(block.map((channel) => (channel[100] ?? 0) > 0.1)).toEqual(isAudible)
  })

  test.each<[string, Uint8Array, string]>([
    ['of less than a second', wavHead(44_100, 1, 44_100), 'too_short'],
    ['of no samples', wavHead(44_100, 1, 0), 'invalid'],
    ['of 4 kHz', Buffer.concat([wavHead(4_000, 1, 16_000), Buffer.alloc(16_000)]), 'out_of_limits'],
    ['of 384 kHz', Buffer.concat([wavHead(384_000, 1, 16_000), Buffer.alloc(16_000)]), 'out_of_limits'],
    ['of 65 channels', Buffer.concat([wavHead(44_100, 65, 13_000), Buffer.alloc(13_000)]), 'out_of_limits'],
  ])('%s is rejected', async (_, bytes, reason) => {
    const padded = Buffer.concat([bytes, Buffer.alloc(reason === 'too_short' ? 44_100 : 0)])
    await expect(read(padded)).rejects.toMatchObject({ name: 'AudioRefused', reason })
  })

  test('that is too long according to its header is rejected before decoding', async () => {
    const limits = { ...audioLimits, maxSeconds: 2 }
    const bytes = await wavOf(tone(2.1, 8_000), 8_000)
    await expect(ingestAudio(bytesInMemory(bytes), limits)).rejects.toMatchObject({ reason: 'too_long' })
  })

  test('that turns out to be too long is rejected during decoding', async () => {
    await expect(read(flacSilence(5_000))).rejects.toMatchObject({ reason: 'too_long' })
  })
})
