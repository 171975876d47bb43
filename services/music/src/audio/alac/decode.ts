import { type BitReader, createBitReader } from '../bit-reader.ts'
import type { Block } from '../pcm.ts'
import { invalidAudio } from '../refusal.ts'
import type { AlacConfig } from './config.ts'
import { predict } from './prediction.ts'
import { type Residuals, readResiduals } from './residuals.ts'

const elements = { single: 0, pair: 1, lowFrequency: 3, data: 4, fill: 6, end: 7 } as const

/** The prediction of one channel. */
type Predictor = {
  readonly isTwice: boolean
  readonly shift: number
  readonly adaptation: number
  readonly coefficients: Int16Array
}

const readPredictor = (bits: BitReader): Predictor => {
  const [mode, shift, factor, order] = [4, 4, 3, 5].map((size) => bits.read(size))
  const coefficients = Int16Array.from({ length: order ?? 0 }, () => bits.read(16))
  return { isTwice: mode !== 0, shift: shift ?? 0, adaptation: factor ?? 0, coefficients }
}

const damaged = () => invalidAudio('The ALAC stream is damaged.')

/** The low bits of samples, which precede the rest, uncompressed and interleaved. */
const readLow = (bits: BitReader, size: number, count: number): Uint16Array => {
  const low = new Uint16Array(size > 0 ? count : 0)
  const start = bits.position()
  bits.skip(low.length * size)
  for (let i = 0; i < low.length; i++) low[i] = bits.wordAt(start + i * size) >>> (32 - size)
  return low
}

/** Samples of one or two channels, compressed (ALAC reference, "ALACDecoder::Decode"). */
const readCompressed = (
  bits: BitReader,
  config: AlacConfig,
  { count, frames, shifted }: { count: number; frames: number; shifted: number },
): Int32Array[] => {
  const size = config.bitDepth - 8 * shifted + (count - 1)
  if (size > 32 || size < 1) throw damaged()
  const mixBits = bits.read(8)
  const mixResidual = (bits.read(8) << 24) >> 24
  if (mixBits > 31) throw damaged()
  const predictors = Array.from({ length: count }, () => readPredictor(bits))
  const lowBits = 8 * shifted
  const low = readLow(bits, lowBits, count * frames)
  const channels = predictors.map((predictor) => {
    const residuals: Residuals = {
      ...config.code,
      adaptation: Math.floor((config.code.adaptation * predictor.adaptation) / 4),
      size,
    }
    const samples = readResiduals(bits, residuals, frames)
    if (predictor.isTwice) predict(samples, { coefficients: undefined, shift: 0, size })
    predict(samples, { coefficients: predictor.coefficients, shift: predictor.shift, size })
    return samples
  })
  const [first, second] = channels
  if (first && second && mixResidual !== 0) {
    for (let frame = 0; frame < frames; frame++) {
      const [middle, side] = [first[frame] ?? 0, second[frame] ?? 0]
      const left = (middle + side - (Math.imul(mixResidual, side) >> mixBits)) | 0
      first[frame] = left
      second[frame] = (left - side) | 0
    }
  }
  if (shifted > 0) {
    for (const [index, samples] of channels.entries()) {
      for (let frame = 0; frame < frames; frame++)
        samples[frame] = ((samples[frame] ?? 0) << lowBits) | (low[frame * count + index] ?? 0)
    }
  }
  return channels
}

const readVerbatim = (
  bits: BitReader,
  { bitDepth }: AlacConfig,
  { count, frames }: { count: number; frames: number },
): Int32Array[] => {
  if (bits.remaining() < count * frames * bitDepth) throw damaged()
  const channels = Array.from({ length: count }, () => new Int32Array(frames))
  const shift = 32 - bitDepth
  for (let frame = 0; frame < frames; frame++) {
    for (const channel of channels) channel[frame] = (bits.read(bitDepth) << shift) >> shift
  }
  return channels
}

/** Reads the element of one or two channels. */
const readChannels = (bits: BitReader, config: AlacConfig, count: number): Int32Array[] => {
  bits.skip(4)
  if (bits.read(12) !== 0) throw damaged()
  const [isPartial, shifted, isVerbatim] = [bits.read(1), bits.read(2), bits.read(1)]
  const frames = isPartial ? bits.read(32) : config.packetFrames
  if (frames > config.packetFrames || shifted === 3) throw damaged()
  const shape = { count, frames, shifted }
  return isVerbatim ? readVerbatim(bits, config, shape) : readCompressed(bits, config, shape)
}

const skipElement = (bits: BitReader, element: number): void => {
  if (element === elements.data) {
    bits.skip(4)
    const isAligned = bits.read(1) === 1
    const count = bits.read(8)
    const bytes = count === 255 ? count + bits.read(8) : count
    if (isAligned) bits.align()
    bits.skip(8 * bytes)
  } else if (element === elements.fill) {
    const count = bits.read(4)
    bits.skip(8 * (count === 15 ? count + bits.read(8) - 1 : count))
  } else throw damaged()
}

/** A loop, since `Float32Array.from` with a function takes ten times as long. */
const scaled = (values: Int32Array, scale: number): Float32Array => {
  const result = new Float32Array(values.length)
  for (let i = 0; i < values.length; i++) result[i] = (values[i] ?? 0) * scale
  return result
}

/** Creates a decoder of ALAC packets, which are independent of each other. Throws AudioRefused for damaged ones. */
export const createAlacDecoder = (config: AlacConfig): ((packet: Uint8Array) => Block) => {
  const scale = 1 / 2 ** (config.bitDepth - 1)
  return (packet) => {
    const bits = createBitReader(packet)
    const channels: Int32Array[] = []
    while (channels.length < config.channels) {
      const element = bits.read(3)
      if (element === elements.end) break
      if (element === elements.pair) channels.push(...readChannels(bits, config, 2))
      else if (element === elements.single || element === elements.lowFrequency)
        channels.push(...readChannels(bits, config, 1))
      else skipElement(bits, element)
    }
    const frames = channels[0]?.length ?? 0
    if (channels.length !== config.channels || channels.some(({ length }) => length !== frames)) throw damaged()
    return channels.map((channel) => scaled(channel, scale))
  }
}
