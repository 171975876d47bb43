import { type BitReader, createBitReader } from '../bit-reader.ts'
import { AudioRefused, invalidAudio } from '../refusal.ts'
import { aacRates } from './bands.ts'

/** Properties of an AAC stream, from its AudioSpecificConfig. */
export type AacConfig = {
  readonly sampleRate: number
  readonly rateIndex: number
  readonly channels: number
}

/** Audio object types (ISO/IEC 14496-3, table 1.17) other than low complexity, by the names that people know. */
const otherTypes: Record<number, string> = {
  1: 'AAC Main',
  3: 'AAC SSR',
  4: 'AAC LTP',
  5: 'HE-AAC',
  6: 'AAC Scalable',
  23: 'AAC-LD',
  29: 'HE-AAC v2',
  39: 'AAC-ELD',
  42: 'xHE-AAC',
}

const lowComplexity = 2
/** Marks a backward-compatible extension at the end of the config. */
const extensionSync = 0x2b7
const bandReplication = 5

export const unsupportedAac = (name: string): AudioRefused =>
  new AudioRefused(
    'unsupported',
    `The file contains ${name}; of the AAC kinds only AAC-LC is read: convert it to AAC-LC, FLAC or WAV and send that.`,
  )

const readObjectType = (bits: BitReader): number => {
  const type = bits.read(5)
  return type === 31 ? 32 + bits.read(6) : type
}

const readRate = (bits: BitReader): { rateIndex: number; sampleRate: number } => {
  const index = bits.read(4)
  if (index !== 15) return { rateIndex: index, sampleRate: aacRates[index] ?? 0 }
  const sampleRate = bits.read(24)
  // An unlisted rate uses the bands of a listed one (table 4.82), which are nearest by ratio.
  const distance = (rate: number) => Math.abs(Math.log(rate / sampleRate))
  const [nearest = aacRates[0]] = [...aacRates].sort((a, b) => distance(a) - distance(b))
  return { rateIndex: aacRates.indexOf(nearest), sampleRate }
}

/** Elements of a program config: pairs count twice. Only the number of channels is needed; their order is that of the elements. */
export const readProgramChannels = (bits: BitReader): number => {
  bits.skip(4 + 2 + 4)
  const [front, side, back, lowFrequency, associated, coupling] = [4, 4, 4, 2, 3, 4].map((size) => bits.read(size))
  for (const size of [4, 4, 3]) if (bits.read(1)) bits.skip(size)
  let channels = lowFrequency ?? 0
  for (const count of [front, side, back]) {
    for (let i = 0; i < (count ?? 0); i++) {
      channels += bits.read(1) ? 2 : 1
      bits.skip(4)
    }
  }
  bits.skip(4 * (lowFrequency ?? 0) + 4 * (associated ?? 0) + 5 * (coupling ?? 0))
  bits.align()
  bits.skip(8 * bits.read(8))
  return channels
}

const channelsOfConfiguration = [0, 1, 2, 3, 4, 5, 6, 8]

/** Whether a spectral band replication follows the config, as old players do not expect it. */
const hasExtension = (bits: BitReader): boolean => {
  if (bits.remaining() < 16 || bits.read(11) !== extensionSync) return false
  return readObjectType(bits) === bandReplication && bits.read(1) === 1
}

/** Parses an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). Throws AudioRefused for anything but low complexity. */
export const parseAacConfig = (bytes: Uint8Array): AacConfig => {
  const bits = createBitReader(bytes)
  const type = readObjectType(bits)
  if (type !== lowComplexity) throw unsupportedAac(otherTypes[type] ?? `audio object type ${type}`)
  const { rateIndex, sampleRate } = readRate(bits)
  const configuration = bits.read(4)
  if (bits.read(1)) throw unsupportedAac('AAC with frames of 960 samples')
  if (bits.read(1)) bits.skip(14)
  bits.skip(1)
  const channels = configuration === 0 ? readProgramChannels(bits) : (channelsOfConfiguration[configuration] ?? 0)
  if (channels === 0 || sampleRate === 0)
    throw invalidAudio('The AAC config declares no known channels or sample rate.')
  if (hasExtension(bits)) throw unsupportedAac('HE-AAC')
  return { sampleRate, rateIndex, channels }
}
