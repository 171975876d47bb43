import { open } from 'node:fs/promises'

/**
 * Bytes with random access: a local file, a stored object, a buffer. Readers request the ranges they need and never load a
 * whole file.
 */
export type ByteSource = {
  readonly size: number
  /** Reads up to `length` bytes from `offset`; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
}

/** Bytes in memory. */
export const bytesInMemory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) =>
    bytes.subarray(Math.min(offset, bytes.length), Math.min(offset + length, bytes.length)),
})

/** The bytes of a source from `start` on, as a source. */
export const bytesFrom = (source: ByteSource, start: number): ByteSource => ({
  size: Math.max(0, source.size - start),
  read: (offset, length) => source.read(start + offset, length),
})

/** A local file, open until it is disposed. */
export const openFileBytes = async (path: string): Promise<ByteSource & AsyncDisposable> => {
  const file = await open(path, 'r')
  const { size } = await file.stat()
  return {
    size,
    async read(offset, length) {
      const requested = Math.max(0, Math.min(length, size - offset))
      const bytes = new Uint8Array(requested)
      let filled = 0
      while (filled < requested) {
        const { bytesRead } = await file.read(bytes, filled, requested - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return filled === requested ? bytes : bytes.subarray(0, filled)
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** A view for reading numbers from bytes. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Four bytes as text: the name of a chunk. Bytes outside ASCII become other characters, never an error. */
export const fourCharacters = (bytes: Uint8Array, offset: number): string =>
  String.fromCharCode(...bytes.subarray(offset, offset + 4))
