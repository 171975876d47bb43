const crcTable = (polynomial: number, bits: 8 | 16): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, index) => {
    let value = index << (bits - 8)
    for (let bit = 0; bit < 8; bit++) value = value & (1 << (bits - 1)) ? (value << 1) ^ polynomial : value << 1
    return value & ((1 << bits) - 1)
  })

const [table8, table16] = [crcTable(0x07, 8), crcTable(0x8005, 16)]

/** The checksum of a frame's header (RFC 9639, 9.1.8). */
export const flacCrc8 = (bytes: Uint8Array): number => bytes.reduce((crc, byte) => table8[crc ^ byte] ?? 0, 0)

/** The checksum of a whole frame (RFC 9639, 9.3). */
export const flacCrc16 = (bytes: Uint8Array): number => {
  let crc = 0
  for (let at = 0; at < bytes.length; at++) crc = ((crc << 8) & 0xffff) ^ (table16[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0)
  return crc
}
