import type { Transform } from 'node:stream'
import { createGunzip, createInflateRaw, createZstdDecompress, constants as zlib } from 'node:zlib'
import { serviceError } from '@trellis/kit/errors'
import type { FileExpansion } from './expansion.ts'
import type { Chunks } from './peeked.ts'

/** Bytes that come out of a decompressor at a time. */
const chunkSize = 128 * 1024
/** The memory that a zstd file may ask for, as a power of two: 128 MiB is what its own tool allows unless told otherwise. */
const maxZstdWindow = 27

const decompressors = {
  gzip: () => createGunzip({ chunkSize }),
  deflate: () => createInflateRaw({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: { [zlib.ZSTD_d_windowLogMax]: maxZstdWindow } }),
}
export type Decompressor = keyof typeof decompressors

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const explained = (error: unknown, name: Decompressor): unknown => {
  if (codeOf(error) === 'ZSTD_error_frameParameter_windowTooLarge')
    return serviceError(
      'unsupported_media',
      'The zstd file needs more than 128 MB of memory to unpack: pack it without --long.',
    )
  if (codeOf(error).startsWith('Z'))
    return serviceError('malformed', `The ${name} data breaks off or is damaged.`, { cause: error })
  return error
}

/**
 * Unpacks as bytes come. All that could be unpacked is given before an error is thrown, which a stream that is destroyed would keep:
 * `malformed` for what breaks off or is damaged, `too_large` past the limits.
 */
export async function* decompress(
  name: Decompressor,
  packed: Chunks,
  { expanded }: FileExpansion,
): AsyncGenerator<Uint8Array> {
  const stream: Transform = decompressors[name]()
  let changed = () => {}
  let failed: unknown
  let hasEnded = false
  stream.on('readable', () => changed())
  stream.on('end', () => {
    hasEnded = true
    changed()
  })
  stream.on('error', (error) => {
    failed = error
    changed()
  })
  async function* readUntil(isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) {
        expanded(chunk.length)
        yield chunk
        continue
      }
      if (failed !== undefined) throw explained(failed, name)
      if (isDone()) return
      await new Promise<void>((resolve) => {
        changed = resolve
      })
    }
  }
  try {
    for await (const chunk of packed) {
      let isTaken = false
      stream.write(chunk, () => {
        isTaken = true
        changed()
      })
      yield* readUntil(() => isTaken)
    }
    stream.end()
    yield* readUntil(() => hasEnded)
  } finally {
    stream.destroy()
  }
}
