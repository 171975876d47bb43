import { describe, expect, test } from 'vitest'
import { bytesOf, chunk, decodeAll, type Field } from '../../test/audio-files.ts'
import { readExtended } from './aiff-read.ts'

const values = [0, 0.5, -0.5, -1, 0.25, -0.25]

/** 44,100 as an 80-bit number. */
const RATE = Uint8Array.from([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0])

const common = (type: string | undefined, bits: number, frames = values.length / 2) =>
  chunk(
    false,
    'COMM',
    bytesOf(false, { u16: 2 }, { u32: frames }, { u16: bits }, RATE, type === undefined ? '' : `${type}\0\0`),
  )

const sound = (samples: Uint8Array, offset = 0) =>
  chunk(false, 'SSND', bytesOf(false, { u32: offset }, { u32: 0 }, Buffer.alloc(offset), samples))

const form = (type: string | undefined, ...chunks: Uint8Array[]) =>
  bytesOf(false, 'FORM', { u32: 0 }, type === undefined ? 'AIFF' : 'AIFC', ...chunks)

const integers = (bits: number, littleEndian: boolean) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(bits / 8)
      if (littleEndian) bytes.writeIntLE(value * 2 ** (bits - 1), 0, bits / 8)
      else bytes.writeIntBE(value * 2 ** (bits - 1), 0, bits / 8)
      return bytes
    }),
  )

const floats = (write: (bytes: Buffer, value: number) => void, size: number) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(size)
      write(bytes, value)
      return bytes
    }),
  )

const kinds: [string, string | undefined, number, Uint8Array][] = [
  ['AIFF of 8 bits', undefined, 8, integers(8, false)],
  ['AIFF of 16 bits', undefined, 16, integers(16, false)],
  ['AIFF of 24 bits', undefined, 24, integers(24, false)],
  ['AIFF of 32 bits', undefined, 32, integers(32, false)],
  ['AIFF-C, uncompressed', 'NONE', 16, integers(16, false)],
  ['AIFF-C, little-endian (sowt)', 'sowt', 16, integers(16, true)],
  ['AIFF-C in24', 'in24', 24, integers(24, false)],
  ['AIFF-C 23ni', '23ni', 32, integers(32, true)],
  ['AIFF-C fl32', 'fl32', 32, floats((bytes, value) => bytes.writeFloatBE(value), 4)],
  ['AIFF-C FL64', 'FL64', 64, floats((bytes, value) => bytes.writeDoubleBE(value), 8)],
]

const expectPiece = async (bytes: Uint8Array) => {
  const { block, sampleRate } = await decodeAll(bytes)
  expect(sampleRate).toBe(44_100)
  expect(block.map((channel) => [...channel])).toEqual([
    [0, -0.5, 0.25],
    [0.5, -1, -0.25],
  ])
}

describe('an AIFF file', () => {
  test.each(kinds)('%s is read exactly', async (_, type, bits, samples) => {
    await expectPiece(form(type, common(type, bits), sound(samples)))
  })

  test('may have its sound chunk before its common chunk, with an offset', async () => {
    await expectPiece(
      form(undefined, sound(integers(16, false), 6), chunk(false, 'NAME', Buffer.from('odd')), common(undefined, 16)),
    )
  })

  test('that declares more frames than it has is read to its end', async () => {
    await expectPiece(form(undefined, common(undefined, 16, 1_000_000), sound(integers(16, false))))
  })

  test.each([0, 0xffffffff, 1_000_000])(
    'that was streamed, with a length of %d, is read to its end',
    async (length) => {
      const body = bytesOf(false, { u32: 0 }, { u32: 0 }, integers(16, false))
      await expectPiece(form(undefined, common(undefined, 16, 0), chunk(false, 'SSND', body, length)))
    },
  )

  test('that was streamed may be long and silent', async () => {
    const body = bytesOf(false, { u32: 0 }, { u32: 0 }, Buffer.alloc(40_000))
    const bytes = form(undefined, common(undefined, 16, 0), chunk(false, 'SSND', body, 0))
    expect((await decodeAll(bytes)).block[0]).toHaveLength(10_000)
  })

  test('without a number of frames ends where its sound chunk does', async () => {
    await expectPiece(
      form(undefined, common(undefined, 16, 0), sound(integers(16, false)), chunk(false, 'NAME', Buffer.from('name'))),
    )
  })

  test.each<[string, Uint8Array, string]>([
    ['is compressed', form('ima4', common('ima4', 16), sound(Buffer.alloc(8))), 'unsupported'],
    ['has no sound', form(undefined, common(undefined, 16)), 'invalid'],
    ['has no description', form(undefined, sound(Buffer.alloc(8))), 'invalid'],
    [
      'has a description that is truncated',
      form(undefined, chunk(false, 'COMM', Buffer.alloc(4)), sound(Buffer.alloc(8))),
      'invalid',
    ],
  ])('that %s is rejected', async (_, bytes, reason) => {
    await expect(decodeAll(bytes)).rejects.toMatchObject({ name: 'AudioRefused', reason })
  })

  test.each<[number, Field]>([
    [8_000, Uint8Array.from([0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0])],
    [192_000, Uint8Array.from([0x40, 0x10, 0xbb, 0x80, 0, 0, 0, 0, 0, 0])],
    [-2, Uint8Array.from([0xc0, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0])],
  ])('may have a rate of %d, in 80 bits', (rate, field) => {
    const bytes = bytesOf(false, field)
    expect(readExtended(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0)).toBe(rate)
  })
})
