import { bytesInMemory, viewOf } from '../src/audio/byte-source.ts'
import { readFrame } from '../src/audio/flac/frame.ts'
import { parseStreamInfo, streamInfoBytes } from '../src/audio/flac/stream-info.ts'
import { findBox, readBoxes } from '../src/audio/mp4/boxes.ts'
import { readSampleTable } from '../src/audio/mp4/sample-table.ts'
import { oggHeaderBytes, pageLength, segmentsOf } from '../src/audio/ogg-page-header.ts'
import { blockLength } from '../src/audio/pcm.ts'
import { bytesOf, type Field } from './audio-files.ts'

const u32 = (value: number): Field => ({ u32: value })
const u16 = (value: number): Field => ({ u16: value })
const u8 = (value: number): Field => ({ u8: value })

/** A box of an MP4 file. */
export const mp4Box = (type: string, ...fields: Field[]): Uint8Array => {
  const body = bytesOf(false, ...fields)
  return bytesOf(false, u32(8 + body.length), type, body)
}

/** The packets of an MP4 file, and its sample entry. */
export const packetsOf = async (file: Uint8Array): Promise<{ packets: Uint8Array[]; entry: Uint8Array }> => {
  const source = bytesInMemory(file)
  const movie = (await readBoxes(source, 0, source.size)).find(({ type }) => type === 'moov')
  const table = movie && (await findBox(source, movie, 'trak', 'mdia', 'minf', 'stbl'))
  const description = table && (await findBox(source, table, 'stsd'))
  if (!table || !description) throw new Error('The fixture has no track')
  const { packets } = await readSampleTable(source, table)
  return {
    packets: [...packets()].map(({ offset, length }) => file.subarray(offset, offset + length)),
    entry: file.subarray(description.start + 8, description.end),
  }
}

/** The fields of a sample entry of stereo before its boxes. */
const entryHead = (sampleRate: number, version = 0): Field[] => [
  new Uint8Array(6),
  u16(1),
  u16(version),
  new Uint8Array(6),
  u16(2),
  u16(16),
  u32(0),
  u32(sampleRate * 65_536),
]

/** The sample entry of an AAC track with this config; QuickTime's has version 1 and puts the config into a `wave` box. */
export const aacEntry = (config: Uint8Array, { quickTime = false, object = 0x40, type = 'mp4a' } = {}): Uint8Array => {
  const specific = bytesOf(false, u8(5), u8(config.length), config)
  const decoder = bytesOf(false, u8(4), u8(13 + specific.length), u8(object), new Uint8Array(12), specific)
  const stream = bytesOf(false, u8(3), u8(3 + decoder.length), u16(1), u8(0), decoder)
  const esds = mp4Box('esds', u32(0), stream)
  const head = entryHead(22_050, quickTime ? 1 : 0)
  return quickTime
    ? mp4Box(type, ...head, new Uint8Array(16), mp4Box('wave', mp4Box('frma', 'mp4a'), esds))
    : mp4Box(type, ...head, esds)
}

/** An MP4 file with the frames of a FLAC file, which has blocks of `blockFrames`. */
export const flacInMp4 = (file: Uint8Array, blockFrames: number, variation: Partial<Mp4Parts> = {}): Uint8Array => {
  const streamInfo = file.subarray(8, 8 + streamInfoBytes)
  const info = parseStreamInfo(streamInfo)
  const packets: Uint8Array[] = []
  const blocks: number[] = []
  for (let at = endOfMetadata(file); at < file.length; at += packets.at(-1)?.length ?? file.length) {
    const { bytes, block } = readFrame(file.subarray(at), info)
    packets.push(file.subarray(at, at + bytes))
    blocks.push(blockLength(block))
  }
  // The header of the only, and therefore last, metadata block.
  const config = mp4Box('dfLa', u32(0), Uint8Array.of(0x80, 0, 0, streamInfoBytes), streamInfo)
  return buildMp4({
    packets,
    entry: mp4Box('fLaC', ...entryHead(info.sampleRate), config),
    scale: info.sampleRate,
    packetDuration: blockFrames,
    lastDuration: blocks.at(-1) ?? blockFrames,
    ...variation,
  })
}

/** Where the frames of a FLAC file begin. */
const endOfMetadata = (file: Uint8Array): number => {
  for (let at = 4; ; ) {
    const [flags = 0, a = 0, b = 0, c = 0] = file.subarray(at, at + 4)
    at += 4 + (a << 16) + (b << 8) + c
    if (flags & 0x80) return at
  }
}

/** The packets of an Ogg file with one stream. */
const oggPackets = (file: Uint8Array): Uint8Array[] => {
  const packets: Uint8Array[] = []
  let parts: Uint8Array[] = []
  for (let at = 0; at < file.length; ) {
    const segments = segmentsOf(file.subarray(at)) ?? new Uint8Array()
    let data = at + oggHeaderBytes + segments.length
    for (const length of segments) {
      parts.push(file.subarray(data, data + length))
      data += length
      if (length < 255) {
        packets.push(Buffer.concat(parts))
        parts = []
      }
    }
    at += pageLength(segments)
  }
  return packets
}

/** Frames of an Opus packet of 20 ms. */
const opusFrames = 960

/** An MP4 file with the packets of an Ogg Opus file of `frames` frames, whose packets have 20 ms. */
export const opusInMp4 = (file: Uint8Array, frames: number, variation: Partial<Mp4Parts> = {}): Uint8Array => {
  const [head = new Uint8Array(), , ...packets] = oggPackets(file)
  const view = viewOf(head)
  const delay = view.getUint16(10, true)
  const config = mp4Box(
    'dOps',
    u8(0),
    u8(view.getUint8(9)),
    u16(delay),
    u32(view.getUint32(12, true)),
    u16(view.getUint16(16, true)),
    head.subarray(18),
  )
  return buildMp4({
    packets,
    entry: mp4Box('Opus', ...entryHead(48_000), config),
    scale: 48_000,
    movieScale: 48_000,
    packetDuration: opusFrames,
    lastDuration: frames + delay - (packets.length - 1) * opusFrames,
    edits: [{ duration: frames, mediaTime: delay }],
    ...variation,
  })
}

/** Variations of the form of fragments. */
export type FragmentForm = {
  readonly packetsPerFragment: number
  /** What positions count from: the fragment by a flag, the fragment without one, as in the standard, or the start of the file. */
  readonly base: 'flag' | 'standard' | 'file'
  /** Where sizes and durations are: with each packet, or as defaults of the fragment where they are all equal. */
  readonly hasDefaults?: boolean
  /** Splits the packets of a fragment into two runs, of which the second continues the first. */
  readonly hasTwoRuns?: boolean
  /** Precedes the track with one of another id. */
  readonly hasOtherTrack?: boolean
}

/** What an MP4 file is built from, and variations of its form. */
export type Mp4Parts = {
  readonly packets: readonly Uint8Array[]
  readonly entry: Uint8Array
  readonly scale: number
  /** Duration of a packet; the last one may be shorter. */
  readonly packetDuration: number
  readonly lastDuration?: number
  readonly movieScale?: number
  readonly edits?: readonly { readonly duration: number; readonly mediaTime: number }[]
  readonly comment?: string
  readonly isFast?: boolean
  readonly longOffsets?: boolean
  readonly compactSizes?: boolean
  readonly packetsPerChunk?: number
  readonly handler?: string
  readonly isFragmented?: boolean
  readonly fragments?: FragmentForm
  /** Stores only the first packet, for which all entries of the index stand. */
  readonly isOverlapping?: boolean
}

const freeForm = (name: string, text: string): Uint8Array =>
  mp4Box(
    '----',
    mp4Box('mean', u32(0), 'com.apple.iTunes'),
    mp4Box('name', u32(0), name),
    mp4Box('data', u32(1), u32(0), text),
  )

const trackId = 7

/** One fragment with its data; it begins at `position` of the file. */
const buildFragment = (
  packets: readonly Uint8Array[],
  durations: readonly number[],
  { position, form }: { position: number; form: FragmentForm },
): Uint8Array => {
  const { base, hasDefaults, hasTwoRuns, hasOtherTrack } = form
  const sizes = packets.map(({ length }) => length)
  const header = (id: number): Uint8Array => {
    const flags = { flag: 0x20000, standard: 0, file: 0x1 }[base] | (hasDefaults ? 0x10 : 0)
    return mp4Box(
      'tfhd',
      u32(flags),
      u32(id),
      ...(base === 'file' ? [{ u64: 0 }] : []),
      ...(hasDefaults ? [u32(sizes[0] ?? 0)] : []),
    )
  }
  const run = (from: number, to: number, offset: number | undefined): Uint8Array =>
    mp4Box(
      'trun',
      u32((offset === undefined ? 0 : 0x1) | (hasDefaults ? 0 : 0x300)),
      u32(to - from),
      ...(offset === undefined ? [] : [u32(offset)]),
      ...(hasDefaults ? [] : sizes.slice(from, to).flatMap((size, i) => [u32(durations[from + i] ?? 0), u32(size)])),
    )
  const middle = hasTwoRuns ? packets.length >> 1 : packets.length
  const fragment = (offset: number): Uint8Array =>
    mp4Box(
      'moof',
      mp4Box('mfhd', u32(0), u32(1)),
      mp4Box('traf', header(trackId), run(0, middle, offset), hasTwoRuns ? run(middle, packets.length, undefined) : ''),
      hasOtherTrack ? mp4Box('traf', header(trackId + 1), run(0, 1, offset)) : '',
    )
  const data = fragment(0).length + 8
  return bytesOf(false, fragment(base === 'file' ? position + data : data), mp4Box('mdat', ...packets))
}

/** Builds an MP4 file whose packets are in fragments. */
const buildFragmentedMp4 = ({
  fragments: form,
  ...parts
}: Mp4Parts & { readonly fragments: FragmentForm }): Uint8Array => {
  const { packets, packetDuration, lastDuration = packetDuration } = parts
  let file = buildMp4({ ...parts, packets: [], isFragmented: true })
  for (let at = 0; at < packets.length; at += form.packetsPerFragment) {
    const own = packets.slice(at, at + form.packetsPerFragment)
    const durations = own.map((_, i) => (at + i === packets.length - 1 ? lastDuration : packetDuration))
    file = bytesOf(false, file, buildFragment(own, durations, { position: file.length, form }))
  }
  return file
}

/** Builds an MP4 file. */
export const buildMp4 = ({ fragments, ...parts }: Mp4Parts): Uint8Array => {
  if (fragments) return buildFragmentedMp4({ ...parts, fragments })
  const { packets, entry, scale, packetDuration, lastDuration = packetDuration, movieScale = 1000 } = parts
  const perChunk = parts.packetsPerChunk ?? 3
  const chunks = Array.from({ length: Math.ceil(packets.length / perChunk) }, (_, i) =>
    packets.slice(i * perChunk, (i + 1) * perChunk),
  )
  const lastSize = chunks.at(-1)?.length ?? 0
  const fileType = mp4Box('ftyp', 'M4A ', u32(0), 'M4A ', 'isom')
  const data = mp4Box('mdat', ...(parts.isOverlapping ? packets.slice(0, 1) : packets))
  const movie = (dataStart: number): Uint8Array => {
    let at = dataStart + 8
    const offsets = chunks.map((chunk) => {
      const offset = at
      if (!parts.isOverlapping) at += chunk.reduce((sum, { length }) => sum + length, 0)
      return offset
    })
    const sizes = packets.map(({ length }) => length)
    const table = mp4Box(
      'stbl',
      mp4Box('stsd', u32(0), u32(1), entry),
      packets.length === 0
        ? mp4Box('stts', u32(0), u32(0))
        : mp4Box('stts', u32(0), u32(2), u32(packets.length - 1), u32(packetDuration), u32(1), u32(lastDuration)),
      packets.length === 0
        ? mp4Box('stsc', u32(0), u32(0))
        : mp4Box('stsc', u32(0), u32(2), ...[1, perChunk, 1, chunks.length, lastSize, 1].map(u32)),
      parts.compactSizes
        ? mp4Box('stz2', u32(0), u32(16), u32(packets.length), ...sizes.map(u16))
        : mp4Box('stsz', u32(0), u32(0), u32(packets.length), ...sizes.map(u32)),
      parts.longOffsets
        ? mp4Box('co64', u32(0), u32(offsets.length), ...offsets.map((u64) => ({ u64 })))
        : mp4Box('stco', u32(0), u32(offsets.length), ...offsets.map(u32)),
    )
    const media = mp4Box(
      'mdia',
      mp4Box('mdhd', u32(0), u32(0), u32(0), u32(scale), u32(0), u32(0)),
      mp4Box('hdlr', u32(0), u32(0), parts.handler ?? 'soun', new Uint8Array(13)),
      mp4Box('minf', table),
    )
    const edits = parts.edits?.flatMap(({ duration, mediaTime }) => [u32(duration), u32(mediaTime >>> 0), u32(65_536)])
    const list = edits ? mp4Box('edts', mp4Box('elst', u32(0), u32(edits.length / 3), ...edits)) : ''
    const items = parts.comment === undefined ? '' : mp4Box('ilst', freeForm('iTunSMPB', parts.comment))
    return mp4Box(
      'moov',
      mp4Box('mvhd', u32(0), u32(0), u32(0), u32(movieScale), u32(0), new Uint8Array(80)),
      mp4Box('trak', mp4Box('tkhd', u32(0), u32(0), u32(0), u32(trackId), new Uint8Array(68)), list, media),
      parts.isFragmented ? mp4Box('mvex', mp4Box('trex', u32(0), ...[trackId, 1, packetDuration, 0, 0].map(u32))) : '',
      items === '' ? '' : mp4Box('udta', mp4Box('meta', u32(0), items)),
    )
  }
  if (!parts.isFast) return bytesOf(false, fileType, data, movie(fileType.length))
  const size = movie(0).length
  return bytesOf(false, fileType, movie(fileType.length + size), data)
}
