import { flacCrc8, flacCrc16 } from '../src/audio/flac/checksums.ts'
import { createBitWriter } from '../src/export/flac-bits.ts'

export type FlacShape = {
  readonly bitDepth: number
  readonly channels?: number
  /** Samples of each block, in turn; a variable block size if there are several. */
  readonly lengths?: readonly number[]
  /** Lowest bits of all samples that are 0, and not stored. */
  readonly wasted?: number
  readonly frames?: number
}

/** Codes of bit depths in frame headers; others are only in the stream header. */
const depthCodes: Record<number, number> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 }

/** A number in the extended UTF-8 of frame headers, up to 16 bits. */
const codedNumber = (value: number): number[] => {
  if (value < 0x80) return [value]
  if (value < 0x800) return [0xc0 | (value >> 6), 0x80 | (value & 0x3f)]
  return [0xe0 | (value >> 12), 0x80 | ((value >> 6) & 0x3f), 0x80 | (value & 0x3f)]
}

/** A FLAC file at 44.1 kHz that stores its samples as they are, and those samples. */
export const flacFile = ({ bitDepth, channels = 2, lengths = [4_096], wasted = 0, frames = 10_000 }: FlacShape) => {
  const full = 2 ** (bitDepth - 1)
  const samples = Array.from({ length: channels }, (_, channel) =>
    Array.from({ length: frames }, (_value, at) => {
      const value = Math.floor(Math.sin((at + 1) * (0.03 + 0.01 * channel)) * (full - 1))
      return Math.floor(value / 2 ** wasted) * 2 ** wasted
    }),
  )
  const writer = createBitWriter(1_000_000)
  writer.write(0x80, 8)
  writer.write(34, 24)
  writer.write(Math.min(...lengths), 16)
  writer.write(Math.max(...lengths), 16)
  writer.write(0, 24)
  writer.write(0, 24)
  writer.write(44_100, 20)
  writer.write(channels - 1, 3)
  writer.write(bitDepth - 1, 5)
  writer.write(0, 4)
  writer.write(frames, 32)
  for (let i = 0; i < 4; i++) writer.write(0, 32)
  const parts: Uint8Array[] = [Buffer.from('fLaC'), writer.bytes().slice()]
  const isVariable = lengths.length > 1
  for (let at = 0, ordinal = 0; at < frames; ordinal++) {
    const length = Math.min(lengths[ordinal % lengths.length] ?? 4_096, frames - at)
    writer.reset()
    writer.write(isVariable ? 0xfff9 : 0xfff8, 16)
    writer.write(0x70, 8)
    writer.write(((channels - 1) << 4) | ((depthCodes[bitDepth] ?? 0) << 1), 8)
    for (const byte of codedNumber(isVariable ? at : ordinal)) writer.write(byte, 8)
    writer.write(length - 1, 16)
    writer.write(flacCrc8(writer.bytes()), 8)
    for (const channel of samples) {
      writer.write(wasted > 0 ? 0x03 : 0x02, 8)
      if (wasted > 0) writer.write(1, wasted)
      for (const sample of channel.slice(at, at + length)) writer.write(sample / 2 ** wasted, bitDepth - wasted)
    }
    writer.write(flacCrc16(writer.bytes()), 16)
    parts.push(writer.bytes().slice())
    at += length
  }
  return { bytes: Buffer.concat(parts), samples: samples.map((channel) => channel.map((value) => value / full)) }
}
