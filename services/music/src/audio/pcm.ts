/** Samples of one stretch of audio: one array per channel, all of the same length, full scale at ±1. */
export type Block = Float32Array[]

/** Properties of every piece of audio, however it is stored. */
export type AudioShape = {
  /** Samples per second. */
  readonly sampleRate: number
  readonly channels: number
}

/** Binary layout of a sample. */
export type SampleLayout = {
  readonly encoding: 'integer' | 'unsigned' | 'float' | 'mu-law' | 'a-law'
  /** Bytes of one sample, including padding. */
  readonly bytes: number
  readonly littleEndian: boolean
}

/** Frames in a block. */
export const blockLength = (block: Block): number => block[0]?.length ?? 0

/** A silent block. */
export const silentBlock = (channels: number, length: number): Block =>
  Array.from({ length: channels }, () => new Float32Array(length))

/** A part of a block, without copying. */
export const sliceBlock = (block: Block, start: number, end: number): Block =>
  block.map((channel) => channel.subarray(start, end))

/** Concatenates blocks. */
export const joinBlocks = (blocks: readonly Block[], channels: number): Block => {
  const total = blocks.reduce((sum, block) => sum + blockLength(block), 0)
  const joined = silentBlock(channels, total)
  let offset = 0
  for (const block of blocks) {
    for (const [index, channel] of joined.entries()) channel.set(block[index] ?? [], offset)
    offset += blockLength(block)
  }
  return joined
}

/** The mean of all channels. */
export const monoOf = (block: Block): Float32Array => {
  const [first, ...rest] = block
  if (!first) return new Float32Array(0)
  if (rest.length === 0) return first
  const mono = Float32Array.from(first)
  for (const channel of rest) for (let i = 0; i < mono.length; i++) mono[i] = (mono[i] ?? 0) + (channel[i] ?? 0)
  const share = 1 / block.length
  for (let i = 0; i < mono.length; i++) mono[i] = (mono[i] ?? 0) * share
  return mono
}

/** ITU-T G.711 µ-law, one byte to a sample. */
const muLawSample = (byte: number): number => {
  const inverted = ~byte & 0xff
  const exponent = (inverted >> 4) & 7
  const magnitude = ((((inverted & 15) << 3) + 132) << exponent) - 132
  return (inverted & 0x80 ? -magnitude : magnitude) / 32768
}

/** ITU-T G.711 A-law, one byte to a sample. */
const aLawSample = (byte: number): number => {
  const toggled = byte ^ 0x55
  const exponent = (toggled >> 4) & 7
  const mantissa = ((toggled & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1)
  return (toggled & 0x80 ? magnitude : -magnitude) / 32768
}

type SampleReader = (view: DataView, offset: number, littleEndian: boolean) => number

const integer24 = (view: DataView, offset: number, littleEndian: boolean): number =>
  littleEndian
    ? view.getUint16(offset, true) | (view.getInt8(offset + 2) << 16)
    : (view.getInt8(offset) << 16) | view.getUint16(offset + 1, false)

/** Readers by encoding and size; other layouts are not supported. */
const sampleReaders: Record<string, SampleReader> = {
  'unsigned/1': (view, offset) => (view.getUint8(offset) - 128) / 128,
  'integer/1': (view, offset) => view.getInt8(offset) / 128,
  'integer/2': (view, offset, little) => view.getInt16(offset, little) / 32768,
  'integer/3': (view, offset, little) => integer24(view, offset, little) / 8388608,
  'integer/4': (view, offset, little) => view.getInt32(offset, little) / 2147483648,
  'float/4': (view, offset, little) => view.getFloat32(offset, little),
  'float/8': (view, offset, little) => view.getFloat64(offset, little),
  'mu-law/1': (view, offset) => muLawSample(view.getUint8(offset)),
  'a-law/1': (view, offset) => aLawSample(view.getUint8(offset)),
}

/** Whether samples of this layout can be read. */
export const canReadSamples = (layout: SampleLayout): boolean => `${layout.encoding}/${layout.bytes}` in sampleReaders

/** Converts interleaved bytes to a block. Values that are not finite become silence, since they would poison every filter. */
export const decodeSamples = (bytes: Uint8Array, channels: number, layout: SampleLayout): Block => {
  const reader = sampleReaders[`${layout.encoding}/${layout.bytes}`]
  if (!reader) throw new Error(`No reader for ${layout.encoding} samples of ${layout.bytes} bytes`)
  const frames = Math.floor(bytes.length / (layout.bytes * channels))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    const step = layout.bytes * channels
    for (let frame = 0, at = channel * layout.bytes; frame < frames; frame++, at += step) {
      const value = reader(view, at, layout.littleEndian)
      samples[frame] = Number.isFinite(value) ? value : 0
    }
    return samples
  })
}
