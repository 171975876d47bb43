import { createInflateRaw, createZstdDecompress, constants as zlib } from 'node:zlib'
import { serviceError } from '@trellis/kit/errors'
import type { FileExpansion } from './expansion.ts'
import { gunzip } from './gunzip.ts'
import type { Chunks } from './peeked.ts'
import { throughDecompressor } from './through-decompressor.ts'

/** The size of the chunks that a decompressor returns, in bytes. */
const chunkSize = 128 * 1024
/** The maximum window of a zstd file, as a power of two: 128 MiB is the default limit of the zstd tool. */
const maxZstdWindow = 27

const decompressors = {
  gzip: gunzip,
  deflate: (packed: Chunks) => throughDecompressor(createInflateRaw({ chunkSize }), packed),
  zstd: (packed: Chunks) =>
    throughDecompressor(
      createZstdDecompress({ chunkSize, params: { [zlib.ZSTD_d_windowLogMax]: maxZstdWindow } }),
      packed,
    ),
}
export type Decompressor = keyof typeof decompressors

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const explained = (error: unknown, name: Decompressor): unknown => {
  if (codeOf(error) === 'ZSTD_error_frameParameter_windowTooLarge')
    return serviceError(
      'unsupported_media',
      'The zstd file needs more than 128 MB of memory to decompress: compress it without --long.',
    )
  if (codeOf(error).startsWith('Z'))
    return serviceError('malformed', `The ${name} data is truncated or damaged.`, { cause: error })
  return error
}

/**
 * Decompresses a stream. Output precedes an error: `malformed` for truncated or damaged data, `too_large` past the limits.
 */
export async function* decompress(
  name: Decompressor,
  packed: Chunks,
  { expanded }: FileExpansion,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of decompressors[name](packed)) {
      expanded(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw explained(error, name)
  }
}
