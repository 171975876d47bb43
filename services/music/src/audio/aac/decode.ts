import { type BitReader, createBitReader } from '../bit-reader.ts'
import type { Block } from '../pcm.ts'
import { invalidAudio } from '../refusal.ts'
import { type Bands, bandsOfRate } from './bands.ts'
import { bandIndex, type ChannelStream, readChannelStream, readWindowInfo } from './channel-stream.ts'
import { type AacConfig, readProgramChannels, unsupportedAac } from './config.ts'
import { createFilterBank } from './filter-bank.ts'
import { createNoise, joinPair, type MidSide, type Noise, shapeNoise, substituteNoise } from './tools.ts'

/** Elements of a raw data block (ISO/IEC 14496-3, table 4.85). */
const elements = { single: 0, pair: 1, coupling: 2, lowFrequency: 3, data: 4, program: 5, fill: 6, end: 7 } as const

/** Types of fill data that contain a spectral band replication: HE-AAC that does not declare itself. */
const bandReplicationFills = [13, 14]

const readMidSide = (bits: BitReader, { groups, maxBand }: ChannelStream['info']): MidSide => {
  const mode = bits.read(2)
  if (mode === 3) throw invalidAudio('The AAC stream is damaged: its stereo mode is unknown.')
  const used = new Uint8Array(groups.length * 64)
  if (mode === 1) {
    for (const [group] of groups.entries()) {
      for (let band = 0; band < maxBand; band++) used[bandIndex(group, band)] = bits.read(1)
    }
  }
  return { mode, used }
}

const readPair = (bits: BitReader, bands: Bands, noise: Noise): ChannelStream[] => {
  const shared = bits.read(1) ? readWindowInfo(bits, bands) : undefined
  const midSide = shared && readMidSide(bits, shared)
  const [left, right] = [readChannelStream(bits, bands, shared), readChannelStream(bits, bands, shared)]
  if (midSide) joinPair(left, right, midSide, noise)
  else for (const stream of [left, right]) substituteNoise(stream, noise)
  return [left, right]
}

const skipData = (bits: BitReader): void => {
  const isAligned = bits.read(1) === 1
  const count = bits.read(8)
  const bytes = count === 255 ? count + bits.read(8) : count
  if (isAligned) bits.align()
  bits.skip(8 * bytes)
}

const skipFill = (bits: BitReader): void => {
  const count = bits.read(4)
  const bytes = count === 15 ? count + bits.read(8) - 1 : count
  if (bytes > 0 && bandReplicationFills.includes(bits.peek(4))) throw unsupportedAac('HE-AAC')
  bits.skip(8 * bytes)
}

/** Reads a raw data block: the channels of one frame, in the order of their elements. */
const readFrame = (bits: BitReader, bands: Bands, noise: Noise): ChannelStream[] => {
  const streams: ChannelStream[] = []
  for (;;) {
    const element = bits.read(3)
    if (element === elements.end) return streams
    if (element === elements.fill) skipFill(bits)
    else if (element === elements.coupling) throw unsupportedAac('AAC with coupled channels')
    else {
      bits.skip(element === elements.program ? 0 : 4)
      if (element === elements.data) skipData(bits)
      else if (element === elements.program) readProgramChannels(bits)
      else if (element === elements.pair) streams.push(...readPair(bits, bands, noise))
      else {
        const stream = readChannelStream(bits, bands, undefined)
        substituteNoise(stream, noise)
        streams.push(stream)
      }
    }
  }
}

/**
 * Creates a decoder of AAC-LC (ISO/IEC 14496-3, 4). Each packet decodes to 1,024 frames, of which the first packet's precede the
 * sound. Throws AudioRefused for damaged packets and for tools of other profiles.
 */
export const createAacDecoder = ({ rateIndex, channels }: AacConfig): ((packet: Uint8Array) => Block) => {
  const bands = bandsOfRate[rateIndex]
  if (!bands) throw invalidAudio('The AAC config declares no known sample rate.')
  const noise = createNoise()
  const banks = Array.from({ length: channels }, () => createFilterBank())
  return (packet) => {
    const streams = readFrame(createBitReader(packet), bands, noise)
    if (streams.length !== channels) throw invalidAudio('The number of channels changes within the AAC stream.')
    return banks.map((bank, index) => {
      const stream = streams[index]
      if (!stream) return new Float32Array(0)
      shapeNoise(stream)
      return bank(stream.spectrum, stream.info)
    })
  }
}
