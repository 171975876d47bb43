/** Writes big-endian bits into a buffer that is reused from frame to frame. */
export type BitWriter = {
  /** The lowest `count` bits (at most 32) of a value. */
  write(value: number, count: number): void
  /** Numbers in a Rice code: each folded, its upper bits in unary, the lowest `parameter` (at most 30) as they are. */
  writeRice(values: Int32Array, parameter: number): void
  /** Pads to whole bytes and returns them; they are valid until the next `write`. */
  bytes(): Uint8Array
  reset(): void
}

/** Signed numbers as unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
export const folded = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0

/** Bits that can be appended at once: with up to 7 held ones they fit into 32. */
const mostAtOnce = 24

export const createBitWriter = (capacity: number): BitWriter => {
  const buffer = new Uint8Array(capacity)
  let [at, held, heldBits] = [0, 0, 0]
  /** At most `mostAtOnce` bits. */
  const writeShort = (value: number, count: number): void => {
    held = (held << count) | (value & ((1 << count) - 1))
    heldBits += count
    while (heldBits >= 8) {
      heldBits -= 8
      buffer[at++] = held >>> heldBits
    }
    held &= (1 << heldBits) - 1
  }
  const write = (value: number, count: number): void => {
    if (count > 16) writeShort(value >>> 16, count - 16)
    if (count > 0) writeShort(value & 0xffff, Math.min(count, 16))
  }
  /** So many zeros, then a one. */
  const writeUnary = (zeros: number): void => {
    let left = zeros
    for (; left >= 16; left -= 16) writeShort(0, 16)
    writeShort(1, left + 1)
  }
  return {
    write,
    writeRice(values, parameter) {
      const one = 1 << parameter
      for (let i = 0; i < values.length; i++) {
        const value = folded(values[i] ?? 0)
        const zeros = value >>> parameter
        const count = zeros + 1 + parameter
        if (count <= mostAtOnce) writeShort(one | (value & (one - 1)), count)
        else {
          writeUnary(zeros)
          write(value, parameter)
        }
      }
    },
    bytes() {
      if (heldBits > 0) writeShort(0, 8 - heldBits)
      return buffer.subarray(0, at)
    },
    reset() {
      ;[at, held, heldBits] = [0, 0, 0]
    },
  }
}
