/** Writes big-endian bits into a buffer that is reused from frame to frame. */
export type BitWriter = {
  /** The lowest `count` bits (at most 32) of a value. */
  write(value: number, count: number): void
  /** So many zeros, then a one. */
  writeUnary(zeros: number): void
  /** Pads to whole bytes and returns them; they are valid until the next `write`. */
  bytes(): Uint8Array
  reset(): void
}

export const createBitWriter = (capacity: number): BitWriter => {
  const buffer = new Uint8Array(capacity)
  let [at, held, heldBits] = [0, 0, 0]
  const writeShort = (value: number, count: number): void => {
    held = (held << count) | (value & ((1 << count) - 1))
    heldBits += count
    while (heldBits >= 8) {
      heldBits -= 8
      buffer[at++] = held >>> heldBits
    }
    held &= (1 << heldBits) - 1
  }
  return {
    write(value, count) {
      if (count > 16) writeShort(value >>> 16, count - 16)
      if (count > 0) writeShort(value & 0xffff, Math.min(count, 16))
    },
    writeUnary(zeros) {
      let left = zeros
      for (; left >= 16; left -= 16) writeShort(0, 16)
      writeShort(1, left + 1)
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

const crcTable = (polynomial: number, bits: 8 | 16): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, index) => {
    let value = index << (bits - 8)
    for (let bit = 0; bit < 8; bit++) value = value & (1 << (bits - 1)) ? (value << 1) ^ polynomial : value << 1
    return value & ((1 << bits) - 1)
  })

const [table8, table16] = [crcTable(0x07, 8), crcTable(0x8005, 16)]

/** The checksums of a frame's header and of a whole frame (RFC 9639, 9.1.8 and 9.3). */
export const flacCrc8 = (bytes: Uint8Array): number => bytes.reduce((crc, byte) => table8[crc ^ byte] ?? 0, 0)

export const flacCrc16 = (bytes: Uint8Array): number => {
  let crc = 0
  for (let at = 0; at < bytes.length; at++) crc = ((crc << 8) & 0xffff) ^ (table16[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0)
  return crc
}
