import { readFileSync } from 'node:fs'
import { type Block, blockLength } from '../src/audio/pcm.ts'
import { bytesOf, chunk, fixture, fixturePiece, wavOf } from './audio-files.ts'

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
]
