import { oggField, oggFlag, oggHeaderBytes, oggMarker, pageLength, segmentsOf } from './ogg-page-header.ts'

/** Codecs of Ogg streams that are read, by the beginning of their first packet. */
const signatures = { 'ogg-vorbis': '\x01vorbis', 'ogg-opus': 'OpusHead', 'ogg-flac': '\x7fFLAC' } as const

/** Maximum number of streams in a file that are not read: more are an attempt to exhaust the reader. */
const mostStreams = 1_000

export type OggContainer = keyof typeof signatures

/** The codec of the stream that a page begins; undefined for other pages and other codecs. */
const codecOf = (page: Uint8Array): OggContainer | undefined => {
  const data = oggHeaderBytes + (page[oggField.segments] ?? 0)
  const packet = Buffer.from(page.subarray(data, data + 8)).toString('latin1')
  return (Object.keys(signatures) as OggContainer[]).find((name) => packet.startsWith(signatures[name]))
}

const isBeginning = (page: Uint8Array): boolean => ((page[oggField.flags] ?? 0) & oggFlag.beginsStream) !== 0

/**
 * The codec of the first stream that is read, from the first bytes of a file. Streams of other kinds (pictures, descriptions of the
 * others) may precede it: all streams of a file begin before any of them goes on.
 */
export const sniffOgg = (bytes: Uint8Array): OggContainer | undefined => {
  for (let page = bytes; oggMarker.equals(page.subarray(0, oggMarker.length)); ) {
    const segments = segmentsOf(page)
    const codec = codecOf(page)
    if (codec || !segments || !isBeginning(page)) return codec
    page = page.subarray(pageLength(segments))
  }
  return undefined
}

/**
 * Creates a function that selects the pages of the stream to decode. Files may have other streams, whose pages lie between, and several
 * of the same kind one after the other.
 */
export const createStreamFilter = (container: OggContainer): ((page: Buffer) => boolean) => {
  const others = new Set<number>()
  /** The selected stream, until it goes on. */
  let beginning: number | undefined
  return (page) => {
    const serial = page.readUInt32LE(oggField.serial)
    if (!isBeginning(page)) {
      if (serial === beginning) beginning = undefined
      return !others.has(serial)
    }
    // Of streams that begin together, only the first is read.
    if (codecOf(page) === container && (beginning === undefined || beginning === serial)) {
      beginning = serial
      others.delete(serial)
      return true
    }
    others.add(serial)
    if (others.size > mostStreams) throw new Error(`The file has more than ${mostStreams} other streams`)
    return false
  }
}
