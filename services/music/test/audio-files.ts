import { readFileSync } from 'node:fs'
import { bytesInMemory } from '../src/audio/byte-source.ts'
import type { DecodedAudio } from '../src/audio/decoded-audio.ts'
import { openAudio } from '../src/audio/open-audio.ts'
import { type Block, joinBlocks } from '../src/audio/pcm.ts'
import { wavBytes } from '../src/audio/wav-write.ts'
import { playBand } from './band.ts'

export { blockLength, joinBlocks, sliceBlock } from '../src/audio/pcm.ts'

/** A committed file of a format that tests cannot write. */
export const fixture = (name: string): Uint8Array => readFileSync(new URL(`./fixtures/${name}`, import.meta.url))

/** The exact source of the fixtures. */
export const fixturePiece = (): Block =>
  playBand({ bpm: 120, bars: 1, sampleRate: 22_050, channels: 2, seed: 7 }).block.map((channel) =>
    Float32Array.from(channel.slice(0, 26_461), (value) => (Math.round(value * 32_767) + 0) / 32_768),
  )

/** Decodes bytes to the end. */
export const decodeAll = async (bytes: Uint8Array): Promise<DecodedAudio & { block: Block }> => {
  const audio = await openAudio(bytesInMemory(bytes))
  const blocks: Block[] = []
  for await (const block of audio.blocks) blocks.push(block)
  return { ...audio, block: joinBlocks(blocks, audio.channels) }
}

/** A 24-bit WAV file of a block. */
export const wavOf = async (block: Block, sampleRate: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  const shape = { sampleRate, channels: block.length }
  for await (const part of wavBytes(shape, block[0]?.length ?? 0, [block])) parts.push(part)
  return Buffer.concat(parts)
}

/** Fields of binary headers, from numbers and texts. */
export type Field = string | Uint8Array | { readonly [Kind in 'u8' | 'u16' | 'u32' | 'u64']?: number }

/** Concatenates fields. */
export const bytesOf = (littleEndian: boolean, ...fields: Field[]): Uint8Array =>
  Buffer.concat(
    fields.map((field) => {
      if (typeof field === 'string') return Buffer.from(field, 'latin1')
      if (field instanceof Uint8Array) return field
      const view = new DataView(new ArrayBuffer(8))
      if (field.u8 !== undefined) view.setUint8(0, field.u8)
      if (field.u16 !== undefined) view.setUint16(0, field.u16, littleEndian)
      if (field.u32 !== undefined) view.setUint32(0, field.u32, littleEndian)
      if (field.u64 !== undefined) view.setBigUint64(0, BigInt(field.u64), littleEndian)
      const length = field.u8 !== undefined ? 1 : field.u16 !== undefined ? 2 : field.u32 !== undefined ? 4 : 8
      return new Uint8Array(view.buffer, 0, length)
    }),
  )

/** A chunk of a RIFF (or big-endian IFF) file, padded to an even length. */
export const chunk = (littleEndian: boolean, name: string, body: Uint8Array, length = body.length): Uint8Array =>
  bytesOf(littleEndian, name, { u32: length }, body, body.length % 2 ? { u8: 0 } : '')

/** Similarity of two signals, 1 for the same shape. */
export const likeness = (a: Float32Array, b: Float32Array): number => {
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return product / Math.sqrt(squaresA * squaresB || 1)
}
