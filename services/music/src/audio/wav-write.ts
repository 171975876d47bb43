import type { ByteSource } from './byte-source.ts'
import { type AudioShape, type Block, blockLength, decodeSamples, type SampleLayout } from './pcm.ts'

/** What we store and export: 24-bit little-endian PCM. */
const STORED: SampleLayout = { encoding: 'integer', bytes: 3, littleEndian: true }

/** Lengths of a RIFF file are 32 bits; past that it is RF64 (EBU Tech 3306), whose header is 36 bytes longer. */
const LARGEST_RIFF = 0xffffffff - 64

const text = (view: DataView, offset: number, value: string): void => {
  for (let i = 0; i < value.length; i++) view.setUint8(offset + i, value.charCodeAt(i))
}

/** Bytes of the header before the samples, for a stretch of this length. */
const headerBytes = (shape: AudioShape, frames: number): number =>
  frames * shape.channels * STORED.bytes > LARGEST_RIFF ? 80 : 44

/** The header of a 24-bit WAV file of `frames` frames: RIFF, or RF64 where it is past 4 GiB. */
export const wavHeader = (shape: AudioShape, frames: number): Uint8Array => {
  const frameBytes = shape.channels * STORED.bytes
  const dataBytes = frames * frameBytes
  const header = new Uint8Array(headerBytes(shape, frames))
  const view = new DataView(header.buffer)
  const isLarge = header.length > 44
  const padding = dataBytes % 2
  text(view, 0, isLarge ? 'RF64' : 'RIFF')
  view.setUint32(4, isLarge ? 0xffffffff : header.length - 8 + dataBytes + padding, true)
  text(view, 8, 'WAVE')
  if (isLarge) {
    text(view, 12, 'ds64')
    view.setUint32(16, 28, true)
    view.setBigUint64(20, BigInt(header.length - 8 + dataBytes + padding), true)
    view.setBigUint64(28, BigInt(dataBytes), true)
    view.setBigUint64(36, BigInt(frames), true)
  }
  const at = isLarge ? 48 : 12
  text(view, at, 'fmt ')
  view.setUint32(at + 4, 16, true)
  view.setUint16(at + 8, 1, true)
  view.setUint16(at + 10, shape.channels, true)
  view.setUint32(at + 12, shape.sampleRate, true)
  view.setUint32(at + 16, shape.sampleRate * frameBytes, true)
  view.setUint16(at + 20, frameBytes, true)
  view.setUint16(at + 22, STORED.bytes * 8, true)
  text(view, at + 24, 'data')
  view.setUint32(at + 28, isLarge ? 0xffffffff : dataBytes, true)
  return header
}

/**
 * Samples to 24-bit bytes, interleaved. There is no dither: its noise would be the only difference between a 16 or
 * 24-bit upload and what comes back, and the rounding error lies at -144 dB of full scale. Beyond full scale is clipped.
 */
export const encodeSamples = (block: Block): Uint8Array => {
  const frames = blockLength(block)
  const bytes = new Uint8Array(frames * block.length * 3)
  for (const [index, channel] of block.entries()) {
    for (let frame = 0, at = index * 3; frame < frames; frame++, at += block.length * 3) {
      const value = Math.max(-8388608, Math.min(8388607, Math.round((channel[frame] ?? 0) * 8388608)))
      bytes[at] = value & 0xff
      bytes[at + 1] = (value >> 8) & 0xff
      bytes[at + 2] = (value >> 16) & 0xff
    }
  }
  return bytes
}

/** What a stretch of a stored WAV file gives: blocks by place, and its shape. */
export interface StoredAudio extends AudioShape {
  readonly frames: number
  /** The samples from `start`; fewer at the end. */
  read(start: number, frames: number): Promise<Block>
}

/** Reads a file that this module wrote, by place. */
export const openStoredWav = (source: ByteSource, shape: AudioShape & { readonly frames: number }): StoredAudio => {
  const frameBytes = shape.channels * STORED.bytes
  const header = headerBytes(shape, shape.frames)
  return {
    sampleRate: shape.sampleRate,
    channels: shape.channels,
    frames: shape.frames,
    async read(start, frames) {
      const from = Math.max(0, Math.min(start, shape.frames))
      const count = Math.max(0, Math.min(frames, shape.frames - from))
      return decodeSamples(await source.read(header + from * frameBytes, count * frameBytes), shape.channels, STORED)
    },
  }
}

/** Bytes of a whole stored WAV file. */
export const wavLength = (shape: AudioShape, frames: number): number => {
  const dataBytes = frames * shape.channels * STORED.bytes
  return headerBytes(shape, frames) + dataBytes + (dataBytes % 2)
}

/**
 * The bytes of a WAV file: header, samples, padding. `frames` must be known, since a stream cannot go back to its
 * header; blocks that hold more or fewer are a fault of the caller.
 */
export async function* wavBytes(
  shape: AudioShape,
  frames: number,
  blocks: AsyncIterable<Block> | Iterable<Block>,
): AsyncGenerator<Uint8Array> {
  yield wavHeader(shape, frames)
  let written = 0
  for await (const block of blocks) {
    written += blockLength(block)
    yield encodeSamples(block)
  }
  if (written !== frames) throw new Error(`A WAV file of ${frames} frames was given ${written}`)
  if ((frames * shape.channels * STORED.bytes) % 2 === 1) yield new Uint8Array(1)
}
