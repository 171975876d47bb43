import { viewOf } from './byte-source.ts'
import { invalidAudio } from './refusal.ts'

/** Reads big-endian bits. Reading beyond the end throws AudioRefused; peeking there sees zeros. */
export type BitReader = {
  /** Up to 32 bits, unsigned. */
  read(count: number): number
  /** Up to 24 bits, without advancing. */
  peek(count: number): number
  skip(count: number): void
  align(): void
  /** Bits read so far. */
  position(): number
  remaining(): number
  /** The bits from a position on, as the upper bits of a 32-bit integer: at least 25 of them. */
  wordAt(position: number): number
}

const truncated = () => invalidAudio('The file is damaged: a packet of its audio ends too early.')

export const createBitReader = (bytes: Uint8Array): BitReader => {
  const view = viewOf(bytes)
  const wholeWords = bytes.length - 4
  const end = bytes.length * 8
  let at = 0
  /** Bytes near the end, where zeros follow. */
  const lastWord = (byte: number): number =>
    ((bytes[byte] ?? 0) << 24) | ((bytes[byte + 1] ?? 0) << 16) | ((bytes[byte + 2] ?? 0) << 8) | (bytes[byte + 3] ?? 0)
  const wordAt = (position: number): number => {
    const byte = position >>> 3
    return (byte <= wholeWords ? view.getInt32(byte) : lastWord(byte)) << (position & 7)
  }
  const peek = (count: number): number => (count === 0 ? 0 : wordAt(at) >>> (32 - count))
  const skip = (count: number): void => {
    at += count
    if (at > end) throw truncated()
  }
  const readShort = (count: number): number => {
    const value = peek(count)
    skip(count)
    return value
  }
  return {
    peek,
    skip,
    wordAt,
    read: (count) => (count <= 24 ? readShort(count) : readShort(count - 16) * 65_536 + readShort(16)),
    align: () => {
      at = (at + 7) & ~7
    },
    position: () => at,
    remaining: () => end - at,
  }
}
