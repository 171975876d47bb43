import { constants, zstdCompressSync } from 'node:zlib'
import { releaseBuffers } from '../release-buffers.ts'
import type { ByteWriter } from './byte-writer.ts'

/**
 * Size of the output buffer, which is more than a compressed block needs. Node's buffer pools do not use this size, so a buffer of this size is
 * not shared.
 */
const chunkSize = 36 * 1024
const fast = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Compresses for speed rather than size, and returns the compressed length. A dictionary holds what the blocks of a file have in common. */
export const compressInto = (writer: ByteWriter, bytes: Uint8Array, dictionary?: Buffer): number => {
  const packed = zstdCompressSync(bytes, dictionary === undefined ? fast : { ...fast, dictionary })
  const { length, buffer } = packed
  writer.bytes(packed)
  // A segment has hundreds of these buffers, which would otherwise wait for the garbage collector.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunkSize) releaseBuffers([buffer])
  return length
}
