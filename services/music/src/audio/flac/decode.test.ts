import { describe, expect, test } from 'vitest'
import { decodeAll, fixture, fixturePiece } from '../../../test/audio-files.ts'
import { type FlacShape, flacFile } from '../../../test/flac-files.ts'

const expectExact = async (bytes: Uint8Array, samples: readonly (readonly number[])[]) => {
  const { block, channels } = await decodeAll(bytes)
  expect(channels).toBe(samples.length)
  expect(block).toEqual(samples.map((channel) => Float32Array.from(channel)))
}

describe('a FLAC file', () => {
  test.each([4, 8, 10, 12, 16, 18, 20, 24, 32])('of %d bits is read exactly, or to 32-bit floats', async (bitDepth) => {
    const { bytes, samples } = flacFile({ bitDepth })
    await expectExact(bytes, samples)
  })

  test.each<[string, FlacShape]>([
    ['one channel', { bitDepth: 16, channels: 1 }],
    ['eight channels', { bitDepth: 16, channels: 8 }],
    ['blocks of varying length', { bitDepth: 16, lengths: [576, 1_152, 16, 4_608, 300] }],
    ['the longest blocks', { bitDepth: 16, channels: 1, lengths: [65_535], frames: 70_000 }],
    ['wasted bits', { bitDepth: 24, wasted: 8 }],
  ])('with %s is read exactly', async (_, shape) => {
    const { bytes, samples } = flacFile(shape)
    await expectExact(bytes, samples)
  })

  test('may have pictures and other metadata, however large', async () => {
    const { bytes, samples } = flacFile({ bitDepth: 16 })
    const header = Buffer.from(bytes.subarray(0, 42))
    header[4] = 0
    const picture = Buffer.concat([Buffer.of(6, 0x04, 0x93, 0xe0), Buffer.alloc(300_000, 0xff)])
    const padding = Buffer.concat([Buffer.of(0x81, 0, 0x20, 0), Buffer.alloc(8_192)])
    await expectExact(Buffer.concat([header, picture, padding, bytes.subarray(42)]), samples)
  })

  test('may be of unknown length, and be followed by a tag', async () => {
    const { bytes, samples } = flacFile({ bitDepth: 16 })
    const streamed = Buffer.from(bytes)
    streamed.fill(0, 22, 26)
    await expectExact(Buffer.concat([streamed, Buffer.from('TAG'), Buffer.alloc(125, 0x20)]), samples)
  })

  test('lacks only the frame that is damaged', async () => {
    const { bytes, samples } = flacFile({ bitDepth: 16, lengths: [1_000], frames: 3_000 })
    const damaged = Buffer.from(bytes)
    damaged[6_000] = (damaged[6_000] ?? 0) ^ 0xff
    await expectExact(
      damaged,
      samples.map((channel) => [...channel.slice(0, 1_000), ...channel.slice(2_000)]),
    )
  })

  test('that ends within a frame lacks that frame', async () => {
    const { bytes, samples } = flacFile({ bitDepth: 16, lengths: [1_000], frames: 3_000 })
    await expectExact(
      bytes.subarray(0, bytes.length - 10),
      samples.map((channel) => channel.slice(0, 2_000)),
    )
  })

  test('with a linear prediction is read exactly', async () => {
    expect((await decodeAll(fixture('band.flac'))).block).toEqual(fixturePiece())
  })

  test('that does not begin with its stream header is rejected', async () => {
    const { bytes } = flacFile({ bitDepth: 16 })
    const other = Buffer.from(bytes)
    other[4] = 1
    await expect(decodeAll(other)).rejects.toMatchObject({ name: 'AudioRefused', reason: 'invalid' })
  })
})
