import type { Files } from '@trellis/kit/files'
import { decodeFooter, decodeTrailer, SegmentCorrupt, type SegmentFooter, trailerBytes } from './segment-layout.ts'

/** The bytes that are read first from the end of a file, which contain nearly every footer. */
const tailBytes = 48 * 1024

/** Reads and verifies the footer of a segment with a file of `bytes` bytes. Throws SegmentCorrupt. */
export const readFooter = async (
  files: Pick<Files, 'readRange'>,
  key: string,
  bytes: number,
): Promise<SegmentFooter> => {
  const start = Math.max(0, bytes - tailBytes)
  const tail = await files.readRange(key, { start, end: bytes })
  const trailer = decodeTrailer(key, tail.subarray(Math.max(0, tail.length - trailerBytes)))
  const end = trailer.offset + trailer.bytes
  if (end > bytes) throw new SegmentCorrupt(key, 'its file is truncated')
  const footer =
    trailer.offset >= start
      ? tail.subarray(trailer.offset - start, end - start)
      : await files.readRange(key, { start: trailer.offset, end })
  return decodeFooter(key, footer, trailer.checksum)
}
