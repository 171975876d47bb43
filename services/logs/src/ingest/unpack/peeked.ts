import { type Packing, packingOf, sniffedBytes } from './packing.ts'

export type Chunks = AsyncIterable<Uint8Array>

/** Content and how it is packed. It can be read only once. */
export type Peeked = {
  packing: Packing
  content: Chunks
  /** Releases content that is not read. */
  close: () => Promise<void>
}

/**
 * Reads enough of a file to detect how it is packed, which may take more than one chunk; `content` is all of it. If the source fails
 * meanwhile, `content` yields what was received and then throws.
 */
export const peek = async (content: Chunks): Promise<Peeked> => {
  const iterator = content[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let failed: { error: unknown } | undefined
  try {
    for (let size = 0; size < sniffedBytes; ) {
      const next = await iterator.next()
      if (next.done) break
      parts.push(next.value)
      size += next.value.length
    }
  } catch (error) {
    if (parts.length === 0) throw error
    failed = { error }
  }
  const start = Buffer.concat(parts)
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (start.length > 0) yield start
      if (failed) throw failed.error
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return {
    packing: packingOf(start),
    content: all(),
    close: async () => {
      await iterator.return?.()
    },
  }
}
