import { checksumAt, oggChecksum } from './ogg-checksum.ts'

const marker = Buffer.from('OggS', 'latin1')
/** A page header before its segment table (RFC 3533, 6); its last byte is the number of segments. */
const headerBytes = 27
const flagsAt = 5
const countAt = 26
const endOfStream = 0x04
const continuesPacket = 0x01

/** The lengths of the segments of the page at the start of `bytes`; undefined while its header is incomplete. */
const segmentsOf = (bytes: Uint8Array): Uint8Array | undefined => {
  const count = bytes[countAt]
  return count === undefined || bytes.length < headerBytes + count
    ? undefined
    : bytes.subarray(headerBytes, headerBytes + count)
}

const sum = (lengths: Uint8Array): number => lengths.reduce((total, length) => total + length, 0)

/** The bytes from the first marker on; without one, the last bytes, which may be the start of one. */
const fromMarker = (bytes: Buffer): Buffer => {
  const at = bytes.indexOf(marker)
  return bytes.subarray(at >= 0 ? at : Math.max(0, bytes.length - marker.length + 1))
}

/**
 * Shortens a page to its last complete segment. It no longer ends its stream, since its granule position counts samples of
 * missing packets.
 */
const shortenedPage = (bytes: Buffer, segments: Uint8Array): Buffer => {
  let [complete, length] = [0, 0]
  for (const segment of segments) {
    if (headerBytes + segments.length + length + segment > bytes.length) break
    complete += 1
    length += segment
  }
  if (complete === 0) return Buffer.alloc(0)
  const header = Buffer.from(bytes.subarray(0, headerBytes + complete))
  header[flagsAt] = (header[flagsAt] ?? 0) & ~endOfStream
  header[countAt] = complete
  const data = headerBytes + segments.length
  return Buffer.concat([header, bytes.subarray(data, data + length)])
}

/** The segments of a page, their data, and whether the first one continues a packet of the page before. */
export type PageObserver = (segments: Uint8Array, data: Uint8Array, isContinued: boolean) => void

/**
 * Passes on an Ogg stream page by page. Pages with a wrong checksum are dropped (RFC 3533, 6), so that damage does not reach
 * the decoders. These treat a truncated page as complete: they decode its missing packets as lost ones, which for Opus produces
 * up to 120 ms of sound each. So the last page is shortened to its last complete packet.
 */
export const createPageFilter = (observe: PageObserver = () => undefined) => {
  let rest: Buffer = Buffer.alloc(0)
  const pass = (page: Buffer): Buffer => {
    const segments = segmentsOf(page)
    if (segments)
      observe(segments, page.subarray(headerBytes + segments.length), ((page[flagsAt] ?? 0) & continuesPacket) !== 0)
    return page
  }
  return {
    /** The pages that these bytes complete. */
    push(bytes: Uint8Array): Uint8Array {
      rest = Buffer.concat([rest, bytes])
      const pages: Buffer[] = []
      for (;;) {
        rest = fromMarker(rest)
        const segments = segmentsOf(rest)
        const length = segments && headerBytes + segments.length + sum(segments)
        if (length === undefined || length > rest.length) return Buffer.concat(pages)
        const page = rest.subarray(0, length)
        const isIntact = oggChecksum(page) === page.readUInt32LE(checksumAt)
        if (isIntact) pages.push(pass(page))
        // The length of a damaged page cannot be trusted: the next one is searched right after its marker.
        rest = rest.subarray(isIntact ? length : marker.length)
      }
    },
    /** The complete packets of a truncated last page; empty if the stream ends with a whole page. */
    end(): Uint8Array {
      const segments = segmentsOf(rest)
      return segments ? pass(shortenedPage(rest, segments)) : Buffer.alloc(0)
    },
  }
}
