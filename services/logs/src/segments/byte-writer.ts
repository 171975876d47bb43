import { type Blocks, newBlocks } from './blocks.ts'

const moreFollows = 0x80
/** Up to here integers can be taken apart by bits. */
const maxInBits = 0x7fffffff

/** Bytes that grow as they are written; `take` gives what was written without copying and starts anew. */
export type ByteWriter = {
  readonly length: number
  byte: (value: number) => void
  /** LEB128: seven bits a byte, lowest first, for integers from 0 to 2^53 - 1. */
  varint: (value: number) => void
  bytes: (source: Uint8Array, start?: number, end?: number) => void
  /** Memory with room for so many bytes from `length` on, for whoever writes many small ones by itself; it holds until the next write. */
  reserve: (bytes: number) => Uint8Array<ArrayBuffer>
  /** What was put into the memory that was reserved counts up to here. */
  advanceTo: (length: number) => void
  take: () => Uint8Array<ArrayBuffer>
  /** What was written, as a view that holds until the next write. */
  written: () => Uint8Array<ArrayBuffer>
  /** Starts anew in the same memory. */
  clear: () => void
}

/** What it outgrows goes back to the blocks; what is taken is for who takes it to give back. */
export const createByteWriter = (initialCapacity = 1024, blocks: Blocks = newBlocks): ByteWriter => {
  let buffer = new Uint8Array(blocks.take(initialCapacity))
  let length = 0
  const reserve = (extra: number): Uint8Array<ArrayBuffer> => {
    if (length + extra <= buffer.length) return buffer
    const size = Math.max(buffer.length * 2, length + extra)
    const larger = new Uint8Array(blocks.take(size))
    larger.set(buffer.subarray(0, length))
    blocks.giveBack(buffer.buffer)
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
