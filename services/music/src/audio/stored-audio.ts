import type { ByteSource } from './byte-source.ts'
import { type AudioShape, type Block, blockLength, type SampleLayout } from './pcm.ts'

/**
 * Storage format: interleaved 24-bit little-endian samples without a header. The shape is in the store, and a WAV header is
 * prepended when the samples are sent, so a decoder can write before the length is known.
 */
export const storedLayout: SampleLayout = { encoding: 'integer', bytes: 3, littleEndian: true }

/** A piece with random access. */
export type StoredAudio = AudioShape & {
  readonly frames: number
  /** The samples from `start`, in arrays of the caller; fewer at the end. */
  read(start: number, frames: number): Promise<Block>
}

/**
 * Converts stored bytes to a block. The general reader of pcm.ts would take four times as long, and every generation reads its
 * whole context here.
 */
const decodeStored = (bytes: Uint8Array, channels: number): Block => {
  const frames = Math.floor(bytes.length / (channels * storedLayout.bytes))
  return Array.from({ length: channels }, (_, index) => {
    const channel = new Float32Array(frames)
    const step = channels * storedLayout.bytes
    for (let frame = 0, at = index * storedLayout.bytes; frame < frames; frame++, at += step) {
      const unsigned = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
      // The sign is the highest of 24 bits.
      channel[frame] = ((unsigned << 8) >> 8) / 8388608
    }
    return channel
  })
}

/** Stored samples as audio. */
export const openStoredAudio = (source: ByteSource, { sampleRate, channels }: AudioShape): StoredAudio => {
  const frameBytes = channels * storedLayout.bytes
  const frames = Math.floor(source.size / frameBytes)
  return {
    sampleRate,
    channels,
    frames,
    async read(start, count) {
      const from = Math.max(0, Math.min(start, frames))
      const length = Math.max(0, Math.min(count, frames - from))
      return decodeStored(await source.read(from * frameBytes, length * frameBytes), channels)
    },
  }
}

/** Frames per block of blocksOf. */
const framesPerBlock = 65_536

/** A piece from its start to its end, block by block. */
export async function* blocksOf(audio: StoredAudio, signal?: AbortSignal): AsyncGenerator<Block> {
  for (let at = 0; at < audio.frames; at += framesPerBlock) {
    signal?.throwIfAborted()
    yield await audio.read(at, framesPerBlock)
  }
}

/** The block with samples beyond full scale clipped, as they are stored: float files and decoders of MP3 or AAC exceed it. Without any, the same block. */
export const clipBlock = (block: Block): Block =>
  block.map((channel) =>
    channel.some((value) => Math.abs(value) > 1) ? channel.map((value) => Math.max(-1, Math.min(1, value))) : channel,
  )

/**
 * Converts samples to interleaved 24-bit bytes. Without dither: its noise would be the only difference between a 16 or 24-bit
 * upload and the result, and the rounding error is at -144 dB of full scale. Samples beyond full scale are clipped.
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
