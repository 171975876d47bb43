import { constants, zstdCompressSync } from 'node:zlib'
import { letGo } from '../let-go.ts'
import type { ByteWriter } from './byte-writer.ts'

/**
 * Room for what comes out, of which a block of text takes less. A size that Node's pools do not have, so that memory of this size is known
 * to be of nobody else.
 */
const chunkSize = 36 * 1024
const fast = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Writes bytes quickly rather than small, and tells how many that came to. A dictionary stands for what a whole file would repeat. */
export const compressInto = (writer: ByteWriter, bytes: Uint8Array, dictionary?: Buffer): number => {
  const packed = zstdCompressSync(bytes, dictionary === undefined ? fast : { ...fast, dictionary })
  const { length, buffer } = packed
  writer.bytes(packed)
  // A segment has hundreds of them, which would lie there until they are collected.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunkSize) letGo([buffer])
  return length
}
