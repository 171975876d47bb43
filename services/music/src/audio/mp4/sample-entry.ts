import { type AacConfig, parseAacConfig } from '../aac/config.ts'
import { type AlacConfig, parseAlacConfig } from '../alac/config.ts'
import { type ByteSource, fourCharacters, viewOf } from '../byte-source.ts'
import { parseStreamInfo, type StreamInfo, streamInfoBytes } from '../flac/stream-info.ts'
import { AudioRefused, invalidAudio } from '../refusal.ts'
import { type Box, findBox, readBody, readBoxes } from './boxes.ts'
import { type OpusConfig, parseOpusConfig } from './opus.ts'

/** The codec of a track, with its parameters. */
export type Mp4Codec =
  | { readonly kind: 'aac'; readonly config: AacConfig }
  | { readonly kind: 'alac'; readonly config: AlacConfig }
  | { readonly kind: 'flac'; readonly config: StreamInfo }
  | { readonly kind: 'opus'; readonly config: OpusConfig }

/** Names of codecs that are not read, by the type of their sample entry. */
const otherCodecs: Record<string, string> = {
  'ac-3': 'Dolby Digital (AC-3)',
  'ec-3': 'Dolby Digital Plus (E-AC-3)',
  'ac-4': 'Dolby AC-4',
  '.mp3': 'MP3 in MP4',
  samr: 'AMR',
  sawb: 'AMR-WB',
  twos: 'uncompressed samples in MP4',
  sowt: 'uncompressed samples in MP4',
  lpcm: 'uncompressed samples in MP4',
  ipcm: 'uncompressed samples in MP4',
  fpcm: 'uncompressed samples in MP4',
  enca: 'encrypted audio',
  drms: 'encrypted audio',
}

const largestEntry = 65_536

const unsupported = (name: string) =>
  new AudioRefused(
    'unsupported',
    `The file contains ${name}; in M4A, AAC-LC, ALAC, FLAC and Opus are read: convert it to one of them, or to WAV.`,
  )

/** Tags of the descriptors of an elementary stream (ISO/IEC 14496-1, 7.2.6). */
const descriptors = { stream: 3, decoder: 4, specific: 5 } as const
/** The object types that mean AAC: MPEG-4 audio, and the MPEG-2 profile of low complexity. */
const aacObjects = [0x40, 0x67]

/** The decoder-specific bytes of an `esds` box: descriptors in descriptors, each with a length of 7 bits a byte. */
const specificOf = (body: Uint8Array): { object: number; specific: Uint8Array } => {
  let at = 4
  let object = 0
  while (at + 2 <= body.length) {
    const tag = body[at++]
    let length = 0
    for (let i = 0; i < 4; i++) {
      const byte = body[at++] ?? 0
      length = (length << 7) | (byte & 0x7f)
      if (!(byte & 0x80)) break
    }
    if (tag === descriptors.stream) {
      const flags = body[at + 2] ?? 0
      at += 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (body[at + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0)
    } else if (tag === descriptors.decoder) {
      object = body[at] ?? 0
      at += 13
    } else if (tag === descriptors.specific) return { object, specific: body.subarray(at, at + length) }
    else at += length
  }
  return { object, specific: new Uint8Array(0) }
}

/** Bytes of an audio sample entry before its boxes, by its version: QuickTime has longer ones. */
const entryHeaders: Record<number, number> = { 0: 28, 1: 44, 2: 64 }

/** A box of the sample entry, or of the `wave` box within, where QuickTime puts it. */
const findExtension = async (source: ByteSource, boxes: readonly Box[], type: string): Promise<Box | undefined> => {
  const direct = boxes.find((box) => box.type === type)
  const wave = boxes.find((box) => box.type === 'wave')
  return direct ?? (wave && (await findBox(source, wave, type)))
}

/** The box that describes a codec, by the type of the sample entry. */
const extensions: Record<string, string> = { mp4a: 'esds', alac: 'alac', fLaC: 'dfLa', Opus: 'dOps' }
/** Version and flags, which precede what most of these boxes hold. */
const fullBox = 4
/** The header of a metadata block of FLAC. */
const metadataHeader = 4

const parseFlacConfig = (body: Uint8Array): StreamInfo => {
  const start = fullBox + metadataHeader
  if (body.length < start + streamInfoBytes) throw invalidAudio('The FLAC config is too short.')
  return parseStreamInfo(body.subarray(start, start + streamInfoBytes))
}

const aacOf = (body: Uint8Array): AacConfig => {
  const { object, specific } = specificOf(body)
  if (aacObjects.includes(object)) return parseAacConfig(specific)
  throw unsupported(object === 0x6b || object === 0x69 ? 'MP3 in MP4' : `audio of the object type ${object}`)
}

const codecOf = (type: string, body: Uint8Array): Mp4Codec => {
  if (type === 'alac') return { kind: 'alac', config: parseAlacConfig(body.subarray(fullBox)) }
  if (type === 'fLaC') return { kind: 'flac', config: parseFlacConfig(body) }
  if (type === 'Opus') return { kind: 'opus', config: parseOpusConfig(body) }
  return { kind: 'aac', config: aacOf(body) }
}

/** Reads the first sample entry of a `stsd` box. Throws AudioRefused for codecs that are not read. */
export const readCodec = async (source: ByteSource, description: Box): Promise<Mp4Codec> => {
  const [entry] = await readBoxes(source, description.start + 8, description.end)
  if (!entry) throw invalidAudio('The audio track of the file has no description.')
  const described = extensions[entry.type]
  if (!described) throw unsupported(otherCodecs[entry.type] ?? `audio of the kind ${JSON.stringify(entry.type)}`)
  const head = await source.read(entry.start, 28)
  if (head.length < 28) throw invalidAudio('The description of the audio track is too short.')
  const boxes = await readBoxes(source, entry.start + (entryHeaders[viewOf(head).getUint16(8)] ?? 28), entry.end)
  const extension = await findExtension(source, boxes, described)
  if (!extension) throw invalidAudio('The audio track of the file does not describe its codec.')
  return codecOf(entry.type, await readBody(source, extension, largestEntry))
}

/** Whether a handler box is that of an audio track. */
export const isSound = (handler: Uint8Array): boolean => fourCharacters(handler, 8) === 'soun'
