import { type Blocks, newBlocks } from './blocks.ts'

const moreFollows = 0x80
/** Up to here integers can be split with bit operations. */
const maxInBits = 0x7fffffff

/** A growing byte buffer; `take` returns the content without copying and starts an empty buffer. */
export type ByteWriter = {
  readonly length: number
  byte: (value: number) => void
  /** LEB128: seven bits a byte, lowest first, for integers from 0 to 2^53 - 1. */
  varint: (value: number) => void
  bytes: (source: Uint8Array, start?: number, end?: number) => void
  /** Memory with room for so many bytes from `length` on, for callers that write many small values themselves; valid until the next write. */
  reserve: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Sets the length after writes to reserved memory. */
  advanceTo: (length: number) => void
  take: () => Uint8Array<ArrayBuffer>
  /** The content so far, as a view that is valid until the next write. */
  written: () => Uint8Array<ArrayBuffer>
  /** Clears the content and keeps the memory. */
  clear: () => void
}

/** Outgrown buffers are freed; the caller of `take` must free the result. */
export const createByteWriter = (initialCapacity = 1024, blocks: Blocks = newBlocks): ByteWriter => {
  let buffer = new Uint8Array(blocks.take(initialCapacity))
  let length = 0
  const reserve = (extra: number): Uint8Array<ArrayBuffer> => {
    if (length + extra <= buffer.length) return buffer
    const size = Math.max(buffer.length * 2, length + extra)
    const larger = new Uint8Array(blocks.take(size))
    larger.set(buffer.subarray(0, length))
    blocks.free(buffer.buffer)
    buffer = larger
    return buffer
  }
  return {
    get length() {
      return length
    },
    byte(value) {
      reserve(1)
      buffer[length++] = value
    },
    varint(value) {
      reserve(8)
      let rest = value
      while (rest > maxInBits) {
        buffer[length++] = (rest % moreFollows) + moreFollows
        rest = Math.floor(rest / moreFollows)
      }
      while (rest >= moreFollows) {
        buffer[length++] = (rest & 0x7f) | moreFollows
        rest >>>= 7
      }
      buffer[length++] = rest
    },
    bytes(source, start = 0, end = source.length) {
      const size = end - start
      reserve(size)
      if (size < 24) for (let index = start; index < end; index++) buffer[length++] = source[index] ?? 0
      else {
        buffer.set(start === 0 && end === source.length ? source : source.subarray(start, end), length)
        length += size
      }
    },
    reserve,
    advanceTo(end) {
      length = end
    },
    written: () => buffer.subarray(0, length),
    clear() {
      length = 0
    },
    take() {
      const taken = buffer.subarray(0, length)
      buffer = new Uint8Array(0)
      length = 0
      return taken
    },
  }
}
