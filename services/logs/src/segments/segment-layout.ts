import { crc32 } from 'node:zlib'
import type { StreamSummary } from './part.ts'

/**
 * The layout of a segment file, version 1. All numbers little-endian.
 *
 *     header   8 bytes "TRELLSEG", u32 version, u32 zero
 *     sections in sequence, see `sectionNames`
 *     footer   JSON: SegmentFooter; has each section's offset and a CRC-32 of every page before the footer
 *     trailer  u64 offset of the footer, u32 its length, u32 its CRC-32, u32 CRC-32 of the sixteen bytes before, 4 bytes "TSEG"
 *
 * Pages are 32 KiB, counted from the start of the file. Every read is of whole pages, so that all bytes are verified.
 */
export const segmentVersion = 1
export const pageBytes = 32 * 1024
export const headerBytes = 16
export const trailerBytes = 24
const headerMagic = new TextEncoder().encode('TRELLSEG')
const trailerMagic = new TextEncoder().encode('TSEG')

export const sectionNames = [
  'textDictionary',
  'texts',
  'textIndex',
  'times',
  'ingestTimes',
  'sequences',
  'repeats',
  'streams',
  'patternSets',
  'templates',
  'lengthCodes',
  'flags',
  'severities',
  'keys',
  'postings',
  'terms',
  'termIndex',
] as const
export type SectionName = (typeof sectionNames)[number]

export type Section = { offset: number; bytes: number }
/** Programs ignore unknown sections, so a new section needs no new version; it is missing in older files. */
export type Sections = Record<Exclude<SectionName, 'templates'>, Section> & { templates?: Section }

export type SegmentFooter = {
  documents: number
  words: number
  firstTime: number
  lastTime: number
  streams: StreamSummary[]
  patternSets: string[][]
  /** Absent in segments from before templates existed, like their section. */
  templates?: string[]
  sections: Sections
  pageChecksums: number[]
}

/** A segment whose bytes have changed or cannot be read. The message has the file and the position. */
export class SegmentCorrupt extends Error {
  override name = 'SegmentCorrupt'
  readonly segment: string
  constructor(segment: string, problem: string, options?: ErrorOptions) {
    super(
      `Segment "${segment}" is damaged: ${problem}. Its entries cannot be searched; restore the file from a copy.`,
      options,
    )
    this.segment = segment
  }
}

export const encodeHeader = (): Uint8Array => {
  const header = new Uint8Array(headerBytes)
  header.set(headerMagic)
  new DataView(header.buffer).setUint32(8, segmentVersion, true)
  return header
}

export const encodeTrailer = (footerOffset: number, footer: Uint8Array): Uint8Array => {
  const trailer = new Uint8Array(trailerBytes)
  const view = new DataView(trailer.buffer)
  view.setBigUint64(0, BigInt(footerOffset), true)
  view.setUint32(8, footer.length, true)
  view.setUint32(12, crc32(footer), true)
  view.setUint32(16, crc32(trailer.subarray(0, 16)), true)
  trailer.set(trailerMagic, 20)
  return trailer
}

/** The location of the footer, from the last bytes of a file. Throws SegmentCorrupt. */
export const decodeTrailer = (segment: string, trailer: Uint8Array) => {
  const view = new DataView(trailer.buffer, trailer.byteOffset, trailer.byteLength)
  const isWhole =
    trailer.length === trailerBytes &&
    trailerMagic.every((byte, index) => trailer[20 + index] === byte) &&
    view.getUint32(16, true) === crc32(trailer.subarray(0, 16))
  if (!isWhole) throw new SegmentCorrupt(segment, 'its last 24 bytes fail their checksum')
  return {
    offset: Number(view.getBigUint64(0, true)),
    bytes: view.getUint32(8, true),
    checksum: view.getUint32(12, true),
  }
}

/** Throws SegmentCorrupt if the checksum does not match. */
export const decodeFooter = (segment: string, bytes: Uint8Array, checksum: number): SegmentFooter => {
  if (crc32(bytes) !== checksum) throw new SegmentCorrupt(segment, 'its footer fails its checksum')
  return JSON.parse(new TextDecoder().decode(bytes)) as SegmentFooter
}

/** Throws SegmentCorrupt for another kind of file or an unknown version. */
export const checkHeader = (segment: string, header: Uint8Array): void => {
  if (!headerMagic.every((byte, index) => header[index] === byte))
    throw new SegmentCorrupt(segment, 'it has no segment header')
  const version = new DataView(header.buffer, header.byteOffset).getUint32(8, true)
  if (version > segmentVersion)
    throw new SegmentCorrupt(segment, `it is of version ${version}, which this program does not support`)
}
