import { constants, zstdCompressSync } from 'node:zlib'

/** Room for what comes out; a block of text takes less. What is left over of it stays as long as the result does. */
const chunkSize = 32 * 1024
const fast = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Quickly rather than small. A dictionary stands for what a whole file would repeat. */
export const compress = (bytes: Uint8Array, dictionary?: Buffer): Uint8Array =>
  zstdCompressSync(bytes, dictionary === undefined ? fast : { ...fast, dictionary })
