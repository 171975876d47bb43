import { readFileSync } from 'node:fs'
import { type Block, blockLength } from '../src/audio/pcm.ts'
import { bytesOf, chunk, type Field, fixture, fixturePiece, wavOf } from './audio-files.ts'
import { flacInMp4, opusInMp4 } from './m4a-files.ts'

/** A file of each kind that is accepted as an upload, to be damaged. */
export type FormatSample = {
  readonly name: string
  readonly make: () => Uint8Array | Promise<Uint8Array>
  /** An upper bound of the frames that any bytes of this kind can hold. */
  readonly holds: (bytes: Uint8Array) => number
}

/** 16-bit AIFF of a block at 22,050 Hz. */
export const aiffOf = (block: Block): Uint8Array => {
  const frames = blockLength(block)
  const samples = Buffer.alloc(frames * block.length * 2)
  for (const [index, channel] of block.entries())
    for (const [frame, value] of channel.entries())
      samples.writeInt16BE(Math.round(value * 32_768), (frame * block.length + index) * 2)
  const rate = Uint8Array.from([0x40, 0x0d, 0xac, 0x44, 0, 0, 0, 0, 0, 0])
  const common = chunk(false, 'COMM', bytesOf(false, { u16: block.length }, { u32: frames }, { u16: 16 }, rate))
  const sound = chunk(false, 'SSND', bytesOf(false, { u32: 0 }, { u32: 0 }, samples))
  return bytesOf(false, 'FORM', { u32: 0 }, 'AIFF', common, sound)
}

/** How samples of a WAV file are written: their format tag, their size and their values. */
const wavSamples = {
  unsigned: {
    tag: 1,
    bytes: 1,
    write: (to: Buffer, value: number, at: number) => to.writeUInt8(Math.round(value * 127) + 128, at),
  },
  short: {
    tag: 1,
    bytes: 2,
    write: (to: Buffer, value: number, at: number) => to.writeInt16LE(Math.round(value * 32_767), at),
  },
  long: {
    tag: 1,
    bytes: 4,
    write: (to: Buffer, value: number, at: number) => to.writeInt32LE(Math.round(value * 0x7fffff00), at),
  },
  float: { tag: 3, bytes: 4, write: (to: Buffer, value: number, at: number) => to.writeFloatLE(value, at) },
} as const

/** The end of the identifier of a sub-format in WAVE_FORMAT_EXTENSIBLE; it begins with a format tag. */
const subFormat = '\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71'

/** A WAV file of a block at 22,050 Hz. */
const wavAs = (kind: keyof typeof wavSamples, shape: 'plain' | 'extensible' | 'RF64', block: Block): Uint8Array => {
  const { tag, bytes, write } = wavSamples[kind]
  const samples = Buffer.alloc(blockLength(block) * block.length * bytes)
  for (const [index, channel] of block.entries())
    for (const [frame, value] of channel.entries()) write(samples, value, (frame * block.length + index) * bytes)
  const layout: Field[] = [
    { u16: block.length },
    { u32: 22_050 },
    { u32: 22_050 * block.length * bytes },
    { u16: block.length * bytes },
    { u16: 8 * bytes },
  ]
  const format =
    shape === 'extensible'
      ? bytesOf(true, { u16: 0xfffe }, ...layout, { u16: 22 }, { u16: 8 * bytes }, { u32: 3 }, { u16: tag }, subFormat)
      : bytesOf(true, { u16: tag }, ...layout)
  const isLarge = shape === 'RF64'
  const sizes = bytesOf(
    true,
    { u64: samples.length + 80 },
    { u64: samples.length },
    { u64: blockLength(block) },
    { u32: 0 },
  )
  return bytesOf(
    true,
    isLarge ? 'RF64' : 'RIFF',
    { u32: isLarge ? 0xffffffff : samples.length + 60 },
    'WAVE',
    isLarge ? chunk(true, 'ds64', sizes) : '',
    chunk(true, 'fmt ', format),
    chunk(true, 'data', samples, isLarge ? 0xffffffff : samples.length),
  )
}

const tune = (): Uint8Array => readFileSync(new URL('../../../docs/examples/tune.ogg', import.meta.url))

/** A sample has at least one byte. */
const plain = (bytes: Uint8Array): number => bytes.length

/** The smallest MP3 frames (8 kbit/s at 24 kHz) have 24 samples a byte; a decoder may add its delay. */
const mp3 = (bytes: Uint8Array): number => 24 * bytes.length + 2 * 1_152

/** FLAC: at most 65,535 frames after each sync code (RFC 9639, 9.1). */
const flac = (bytes: Uint8Array): number => {
  let syncs = 0
  for (let at = 0; at + 1 < bytes.length; at++)
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8) syncs += 1
  return syncs * 65_535
}

/** Ogg: at most this number of frames for each segment of each page. */
const segments = (framesOfPacket: number) => (bytes: Uint8Array) => {
  const file = Buffer.from(bytes)
  let count = 0
  for (let at = file.indexOf('OggS'); at >= 0; at = file.indexOf('OggS', at + 4)) count += file[at + 26] ?? 0
  return count * framesOfPacket
}

/** M4A: a packet has at least one byte. */
const packets = (framesOfPacket: number) => (bytes: Uint8Array) => bytes.length * framesOfPacket

export const formatSamples: readonly FormatSample[] = [
  { name: 'WAV', make: () => wavOf(fixturePiece(), 22_050), holds: plain },
  { name: 'WAV of 8 bits', make: () => wavAs('unsigned', 'plain', fixturePiece()), holds: plain },
  { name: 'WAV of 16 bits', make: () => wavAs('short', 'plain', fixturePiece()), holds: plain },
  { name: 'WAV of 32 bits', make: () => wavAs('long', 'plain', fixturePiece()), holds: plain },
  { name: 'WAV of floats', make: () => wavAs('float', 'plain', fixturePiece()), holds: plain },
  { name: 'extensible WAV', make: () => wavAs('float', 'extensible', fixturePiece()), holds: plain },
  { name: 'RF64', make: () => wavAs('short', 'RF64', fixturePiece()), holds: plain },
  { name: 'AIFF', make: () => aiffOf(fixturePiece()), holds: plain },
  { name: 'MP3', make: () => fixture('band.mp3'), holds: mp3 },
  { name: 'FLAC', make: () => fixture('band.flac'), holds: flac },
  { name: 'Ogg FLAC', make: () => fixture('band.oga'), holds: flac },
  { name: 'Ogg Vorbis', make: () => fixture('band.ogg'), holds: segments(4_096) },
  { name: 'longer Ogg Vorbis', make: tune, holds: segments(4_096) },
  { name: 'Ogg Opus', make: () => fixture('band.opus'), holds: segments(5_760) },
  { name: 'AAC, with its index at the end', make: () => fixture('band.m4a'), holds: packets(1_024) },
  { name: 'AAC with noise', make: () => fixture('noise.m4a'), holds: packets(1_024) },
  { name: 'ALAC, with its index first', make: () => fixture('band-alac.m4a'), holds: packets(65_536) },
  { name: 'FLAC in M4A', make: () => flacInMp4(fixture('band.flac'), 4_096), holds: packets(65_535) },
  { name: 'Opus in M4A', make: () => opusInMp4(fixture('band.opus'), 57_603), holds: packets(5_760) },
]
