import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import { serviceError } from '../errors/mod.ts'
import type { ByteRange } from '../files/mod.ts'

/** Raw content of known size, readable by range. */
export type ByteContent = {
  mediaType: string
  /** Offers the content as a download under this name. */
  filename?: string
  /** In bytes. */
  size: number
  etag?: string
  read: (range: Required<ByteRange>) => AsyncIterable<Uint8Array>
}

/**
 * Parses a `Range` header (RFC 9110, section 14): one range of bytes, `end` exclusive. Undefined without a header, and for headers
 * that may be ignored: several ranges, another unit, a malformed one. Throws `range_not_satisfiable` for a range outside the content.
 */
export const parseRange = (header: string | null | undefined, size: number): Required<ByteRange> | undefined => {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start >= end) {
    throw serviceError(
      'range_not_satisfiable',
      `The content has ${size} bytes; the requested range is outside of it.`,
      {
        headers: { 'content-range': `bytes */${size}` },
      },
    )
  }
  return { start, end }
}

/** Content, or the range requested by the header, as the frames of a BYTES method. */
export async function* byteFrames(
  content: ByteContent,
  rangeHeader: string | null | undefined,
): AsyncGenerator<ByteFrame> {
  const { mediaType, filename, size, etag } = content
  const range = parseRange(rangeHeader, size)
  yield { frame: { $case: 'head', value: { mediaType, filename, size, etag, start: range?.start, end: range?.end } } }
  for await (const chunk of content.read(range ?? { start: 0, end: size }))
    yield { frame: { $case: 'chunk', value: chunk } }
}
