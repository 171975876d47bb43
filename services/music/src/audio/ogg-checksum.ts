/** Position and size of the checksum in a page header. */
export const checksumAt = 22
const checksumBytes = 4

/** CRC-32 of Ogg by byte: polynomial 0x04c11db7, not reflected (RFC 3533, 6). */
const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

/** The checksum of a page, whose own checksum field counts as zero. */
export const oggChecksum = (page: Uint8Array): number => {
  let crc = 0
  for (let at = 0; at < page.length; at++) {
    const byte = at >= checksumAt && at < checksumAt + checksumBytes ? 0 : (page[at] ?? 0)
    crc = (crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0)
  }
  return crc >>> 0
}
