import { bytesInMemory } from '../src/audio/byte-source.ts'
import { findBox, readBoxes } from '../src/audio/mp4/boxes.ts'
import { readSampleTable } from '../src/audio/mp4/sample-table.ts'
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

/** The sample entry of an AAC track with this config; QuickTime's has version 1 and puts the config into a `wave` box. */
export const aacEntry = (config: Uint8Array, { quickTime = false, object = 0x40, type = 'mp4a' } = {}): Uint8Array => {
  const specific = bytesOf(false, u8(5), u8(config.length), config)
  const decoder = bytesOf(false, u8(4), u8(13 + specific.length), u8(object), new Uint8Array(12), specific)
  const stream = bytesOf(false, u8(3), u8(3 + decoder.length), u16(1), u8(0), decoder)
  const esds = mp4Box('esds', u32(0), stream)
  const head = [
    new Uint8Array(6),
    u16(1),
    u16(quickTime ? 1 : 0),
    new Uint8Array(6),
    u16(2),
    u16(16),
    u32(0),
    u32(22_050 * 65_536),
  ]
  return quickTime
    ? mp4Box(type, ...head, new Uint8Array(16), mp4Box('wave', mp4Box('frma', 'mp4a'), esds))
    : mp4Box(type, ...head, esds)
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

/** Builds an MP4 file. */
export const buildMp4 = (parts: Mp4Parts): Uint8Array => {
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
      mp4Box('stts', u32(0), u32(2), u32(packets.length - 1), u32(packetDuration), u32(1), u32(lastDuration)),
      mp4Box('stsc', u32(0), u32(2), ...[1, perChunk, 1, chunks.length, lastSize, 1].map(u32)),
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
      mp4Box('trak', list, media),
      parts.isFragmented ? mp4Box('mvex') : '',
      items === '' ? '' : mp4Box('udta', mp4Box('meta', u32(0), items)),
    )
  }
  if (!parts.isFast) return bytesOf(false, fileType, data, movie(fileType.length))
  const size = movie(0).length
  return bytesOf(false, fileType, movie(fileType.length + size), data)
}
