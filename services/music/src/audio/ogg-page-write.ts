import { checksumAt, oggChecksum } from './ogg-checksum.ts'
import { oggField, oggHeaderBytes, oggMarker } from './ogg-page-header.ts'

/** Positions of fields that only writers need (RFC 3533, 6). */
const granuleAt = 6
const sequenceAt = 18
const longestSegment = 255
const mostSegments = 255

/** The largest packet that fits in one page: all its segments are full, but for the one that ends the packet. */
export const largestPagePacket = mostSegments * longestSegment - 1

export type OggPagePosition = {
  /** Samples of the stream to the end of the page. */
  readonly granule: number
  /** Number of the page in its stream. */
  readonly sequence: number
  readonly flags: number
}

/** An Ogg page that holds one packet, of at most `largestPagePacket` bytes; its stream has the number 0. */
export const oggPageOf = (packet: Uint8Array, { granule, sequence, flags }: OggPagePosition): Buffer => {
  const full = Math.floor(packet.length / longestSegment)
  const page = Buffer.alloc(oggHeaderBytes + full + 1 + packet.length)
  page.set(oggMarker)
  page[oggField.flags] = flags
  page.writeBigInt64LE(BigInt(granule), granuleAt)
  page.writeUInt32LE(sequence, sequenceAt)
  page[oggField.segments] = full + 1
  page.fill(longestSegment, oggHeaderBytes, oggHeaderBytes + full)
  page[oggHeaderBytes + full] = packet.length % longestSegment
  page.set(packet, oggHeaderBytes + full + 1)
  page.writeUInt32LE(oggChecksum(page), checksumAt)
  return page
}
