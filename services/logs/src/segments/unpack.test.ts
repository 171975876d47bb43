import { constants, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import { unpack, unpackedSize } from './unpack.ts'

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 7919) % 251)

const compress = (bytes: Uint8Array, dictionary?: Buffer): Uint8Array => {
  const writer = createByteWriter()
  expect(compressInto(writer, bytes, dictionary)).toBe(writer.length)
  return writer.take()
}

describe('compressed data', () => {
  test.each([0, 1, 255, 256, 257, 65_535, 65_536, 65_791, 65_792, 200_000])(
    'of %i bytes has its size in the header',
    (size) => {
      const packed = compress(bytesOf(size))
      expect(unpackedSize(packed)).toBe(size)
      expect(unpack(packed)).toEqual(Buffer.from(bytesOf(size)))
    },
  )

  test('with a dictionary is decompressed with it', () => {
    const dictionary = Buffer.from(bytesOf(4_096))
    const packed = compress(bytesOf(10_000), dictionary)
    expect(unpackedSize(packed)).toBe(10_000)
    expect(unpack(packed, dictionary)).toEqual(Buffer.from(bytesOf(10_000)))
  })

  test('without a size in the header is decompressed, too', () => {
    const params = { [constants.ZSTD_c_contentSizeFlag]: 0 }
    const packed = zstdCompressSync(bytesOf(200_000), { params })
    expect(unpackedSize(packed)).toBeUndefined()
    expect(unpack(packed)).toEqual(Buffer.from(bytesOf(200_000)))
  })

  test('that is truncated or not a frame is rejected', () => {
    const packed = compress(bytesOf(200_000))
    for (const broken of [
      new Uint8Array(0),
      packed.subarray(0, 3),
      packed.subarray(0, 7),
      packed.subarray(0, 100),
      bytesOf(64),
    ])
      expect(() => unpack(broken)).toThrow()
  })
})
