import { zstdDecompressSync } from 'node:zlib'

/** RFC 8878, 3.1.1.1: the number of bytes of the content size, by the top bits of the frame header descriptor. */
const sizeBytes = [1, 2, 4, 8] as const
const descriptorAt = 4
const isSingleSegment = 0x20
const dictionaryIdBytes = [0, 1, 2, 4] as const
/** A size of two bytes is stored as an offset from 256, the first size that one byte cannot represent. */
const minOfTwoBytes = 256
/** Larger frames are decompressed in chunks. */
const maxAtOnce = 16 * 1024 * 1024
/** With a buffer of exactly the content size, zlib would allocate a second chunk to look for the end of the frame. */
const spare = 64

/** The content size of a frame, if its header is complete and contains it. */
export const unpackedSize = (packed: Uint8Array): number | undefined => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  if (view.byteLength < descriptorAt + 1) return undefined
  const descriptor = view.getUint8(descriptorAt)
  const isSingle = (descriptor & isSingleSegment) !== 0
  const bytes = sizeBytes[descriptor >>> 6] ?? 1
  if (bytes === 1 && !isSingle) return undefined
  const at = descriptorAt + 1 + (isSingle ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] ?? 0)
  if (view.byteLength < at + bytes) return undefined
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + minOfTwoBytes
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}

/** Decompresses a zstd frame into one buffer of its content size if known, else into chunks that are concatenated. Throws zlib's errors. */
export const unpack = (packed: Uint8Array, dictionary?: Uint8Array): Uint8Array => {
  const size = unpackedSize(packed)
  return zstdDecompressSync(packed, {
    ...(size !== undefined && size <= maxAtOnce && { chunkSize: size + spare }),
    ...(dictionary && dictionary.length > 0 && { dictionary }),
  })
}
