import { zstdDecompressSync } from 'node:zlib'

/** Of RFC 8878, 3.1.1.1: by the top bits of a frame's descriptor how many bytes tell the size of what is packed. */
const sizeBytes = [1, 2, 4, 8] as const
const descriptorAt = 4
const isSingleSegment = 0x20
const dictionaryIdBytes = [0, 1, 2, 4] as const
/** A size of two bytes counts from the first that one byte cannot tell. */
const minOfTwoBytes = 256
/** What says that it is bigger is unpacked piece by piece. */
const maxAtOnce = 16 * 1024 * 1024
/** With as much room as it needs and no more, the end of a frame would be looked for with a second piece. */
const spare = 64

/** How many bytes a frame comes to, where it says so and is all there. */
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

/** Unpacks a frame of zstd, into one piece where it tells its size: else it comes in pieces that are put together. Throws what zlib throws. */
export const unpack = (packed: Uint8Array, dictionary?: Uint8Array): Uint8Array => {
  const size = unpackedSize(packed)
  return zstdDecompressSync(packed, {
    ...(size !== undefined && size <= maxAtOnce && { chunkSize: size + spare }),
    ...(dictionary && dictionary.length > 0 && { dictionary }),
  })
}
