import { crc32 } from 'node:zlib'
import type { StreamSummary } from './part.ts'

/**
 * The layout of a segment file, version 1. All numbers little-endian.
 *
 *     header   8 bytes "TRELLSEG", u32 version, u32 zero
 *     sections one after the other, see `sectionNames`
 *     footer   JSON: SegmentFooter; names each section's place and has a CRC-32 for every page of what stands before it
 *     trailer  u64 where the footer starts, u32 its length, u32 its CRC-32, u32 CRC-32 of the sixteen bytes before, 4 bytes "TSEG"
 *
 * A page is 32 KiB of the file from its start. Every read goes through whole pages, so no byte is believed unchecked.
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
/** A program that does not know a section leaves it alone, so a new one needs no new version; one that is new is missing in older files. */
export type Sections = Record<Exclude<SectionName, 'templates'>, Section> & { templates?: Section }

export type SegmentFooter = {
  documents: number
  words: number
  firstTime: number
  lastTime: number
  streams: StreamSummary[]
  patternSets: string[][]
  /** Absent in segments that were written before there were templates, as is their section. */
  templates?: string[]
  sections: Sections
  pageChecksums: number[]
}

/** A segment whose bytes are not what was written. Names the file and the place. */
export class SegmentCorrupt extends Error {
  override name = 'SegmentCorrupt'
  readonly segment: string
  constructor(segment: string, place: string, options?: ErrorOptions) {
    super(
      `Segment "${segment}" is damaged: ${place}. Its entries cannot be searched; restore the file from a copy.`,
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

/** Where the footer is, by the last bytes of a file. Throws SegmentCorrupt. */
export const decodeTrailer = (segment: string, trailer: Uint8Array) => {
  const view = new DataView(trailer.buffer, trailer.byteOffset, trailer.byteLength)
  const isWhole =
    trailer.length === trailerBytes &&
    trailerMagic.every((byte, index) => trailer[20 + index] === byte) &&
    view.getUint32(16, true) === crc32(trailer.subarray(0, 16))
  if (!isWhole) throw new SegmentCorrupt(segment, 'its last 24 bytes do not check')
  return {
    offset: Number(view.getBigUint64(0, true)),
    bytes: view.getUint32(8, true),
    checksum: view.getUint32(12, true),
  }
}

/** Throws SegmentCorrupt when the footer does not check or is of a version that is not known. */
export const decodeFooter = (segment: string, bytes: Uint8Array, checksum: number): SegmentFooter => {
  if (crc32(bytes) !== checksum) throw new SegmentCorrupt(segment, 'its footer does not check')
  return JSON.parse(new TextDecoder().decode(bytes)) as SegmentFooter
}

/** Throws SegmentCorrupt for another kind of file or an unknown version. */
export const checkHeader = (segment: string, header: Uint8Array): void => {
  if (!headerMagic.every((byte, index) => header[index] === byte))
    throw new SegmentCorrupt(segment, 'it does not begin like a segment')
  const version = new DataView(header.buffer, header.byteOffset).getUint32(8, true)
  if (version > segmentVersion)
    throw new SegmentCorrupt(segment, `it is of version ${version}, which this program does not know`)
}
