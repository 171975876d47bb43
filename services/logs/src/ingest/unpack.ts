import { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { failure } from '@trellis/kit/errors'

export type UnpackLimits = { packedBytes: number; expandedBytes: number }

/** Past so many bytes a file may not be more than so many times what was sent. */
const freeBytes = 100 * 1024 * 1024
const mostExpansion = 200

const startsWith = (bytes: Uint8Array, ...magic: number[]) => magic.every((byte, index) => bytes[index] === byte)

type Packing = 'plain' | 'gzip' | 'zstd' | 'zip' | 'tar'

const packingOf = (start: Uint8Array): Packing => {
  if (startsWith(start, 0x1f, 0x8b)) return 'gzip'
  if (startsWith(start, 0x28, 0xb5, 0x2f, 0xfd)) return 'zstd'
  if (startsWith(start, 0x50, 0x4b, 0x03, 0x04)) return 'zip'
  return startsWith(start.subarray(257), 0x75, 0x73, 0x74, 0x61, 0x72) ? 'tar' : 'plain'
}

/** The first bytes decide how a file is packed, and may come in more than one chunk. */
const withStart = async (content: AsyncIterator<Uint8Array>, bytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for (let size = 0; size < bytes; ) {
    const next = await content.next()
    if (next.done) break
    parts.push(next.value)
    size += next.value.length
  }
  return Buffer.concat(parts)
}

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

/**
 * What a file says, unpacked as it comes (gzip, zstd, or plain). Throws `too_large` past a limit, `unsupported_media` for archives,
 * `malformed` for what breaks off.
 */
export async function* unpack(content: AsyncIterable<Uint8Array>, limits: UnpackLimits): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  const start = await withStart(iterator, 512)
  let packed = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for (let chunk: Uint8Array | undefined = start; chunk; ) {
      packed += chunk.length
      if (packed > limits.packedBytes) {
        throw failure(
          'too_large',
          `The upload is larger than ${megabytes(limits.packedBytes)} MB (SERVICE_MAX_UPLOAD_MB).`,
        )
      }
      yield chunk
      const next: IteratorResult<Uint8Array> = await iterator.next()
      chunk = next.done ? undefined : next.value
    }
  }
  const packing = packingOf(start)
  if (packing === 'plain') return yield* counted()
  if (packing === 'zip' || packing === 'tar') {
    throw failure(
      'unsupported_media',
      `A ${packing} archive cannot be read yet: send the files in it, plain, gzip or zstd.`,
    )
  }
  const source = Readable.from(counted())
  const unpacker = packing === 'gzip' ? createGunzip() : createZstdDecompress()
  source.on('error', (error) => unpacker.destroy(error))
  let expanded = 0
  try {
    for await (const chunk of source.pipe(unpacker)) {
      expanded += chunk.length
      const isBomb = expanded > freeBytes && expanded > packed * mostExpansion
      if (isBomb || expanded > limits.expandedBytes) {
        throw failure(
          'too_large',
          `Unpacked, the upload is more than is allowed: ${megabytes(limits.expandedBytes)} MB (SERVICE_MAX_EXPANDED_MB), or ${mostExpansion} times what was sent.`,
        )
      }
      yield chunk
    }
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z')
    throw isBroken ? failure('malformed', `The ${packing} file breaks off or is damaged.`, { cause: error }) : error
  } finally {
    source.destroy()
    unpacker.destroy()
  }
}
