import { checksumAt, oggChecksum } from './ogg-checksum.ts'
import { oggField, oggFlag, oggHeaderBytes, oggMarker, pageLength, segmentsOf } from './ogg-page-header.ts'
import { createStreamFilter, type OggContainer } from './ogg-streams.ts'

/** The bytes from the first marker on; without one, the last bytes, which may be the start of one. */
const fromMarker = (bytes: Buffer): Buffer => {
  const at = bytes.indexOf(oggMarker)
  return bytes.subarray(at >= 0 ? at : Math.max(0, bytes.length - oggMarker.length + 1))
}

/**
 * Shortens a page to its last complete segment. It no longer ends its stream, since its granule position counts samples of
 * missing packets.
 */
const shortenedPage = (bytes: Buffer, segments: Uint8Array): Buffer => {
  let [complete, length] = [0, 0]
  for (const segment of segments) {
    if (oggHeaderBytes + segments.length + length + segment > bytes.length) break
    complete += 1
    length += segment
  }
  if (complete === 0) return Buffer.alloc(0)
  const header = Buffer.from(bytes.subarray(0, oggHeaderBytes + complete))
  header[oggField.flags] = (header[oggField.flags] ?? 0) & ~oggFlag.endsStream
  header[oggField.segments] = complete
  const data = oggHeaderBytes + segments.length
  return Buffer.concat([header, bytes.subarray(data, data + length)])
}

/** The segments of a page, their data, and whether the first one continues a packet of the page before. */
export type PageObserver = (segments: Uint8Array, data: Uint8Array, isContinued: boolean) => void

/**
 * Passes on the pages of the streams of one codec. Pages with a wrong checksum are dropped (RFC 3533, 6), so that damage does not reach
 * the decoders. These treat a truncated page as complete: they decode its missing packets as lost ones, which for Opus produces
 * up to 120 ms of sound each. So the last page is shortened to its last complete packet.
 */
export const createPageFilter = (container: OggContainer, observe: PageObserver = () => undefined) => {
  let rest: Buffer = Buffer.alloc(0)
  const isSelected = createStreamFilter(container)
  const pass = (page: Buffer): Buffer => {
    if (page.length === 0 || !isSelected(page)) return Buffer.alloc(0)
    const segments = segmentsOf(page)
    if (segments)
      observe(
        segments,
        page.subarray(oggHeaderBytes + segments.length),
        ((page[oggField.flags] ?? 0) & oggFlag.continuesPacket) !== 0,
      )
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
        const length = segments && pageLength(segments)
        if (length === undefined || length > rest.length) return Buffer.concat(pages)
        const page = rest.subarray(0, length)
        const isIntact = oggChecksum(page) === page.readUInt32LE(checksumAt)
        if (isIntact) pages.push(pass(page))
        // The length of a damaged page cannot be trusted: the next one is searched right after its marker.
        rest = rest.subarray(isIntact ? length : oggMarker.length)
      }
    },
    /** The complete packets of a truncated last page; empty if the stream ends with a whole page. */
    end(): Uint8Array {
      const segments = segmentsOf(rest)
      return segments ? pass(shortenedPage(rest, segments)) : Buffer.alloc(0)
    },
  }
}
