import { type BitReader, createBitReader } from '../bit-reader.ts'
import type { Block } from '../pcm.ts'
import { flacCrc16 } from './checksums.ts'
import { type Combination, type FrameHeader, readFrameHeader } from './frame-header.ts'
import type { StreamInfo } from './stream-info.ts'
import { NoFrame, readSubframe, type Samples } from './subframe.ts'

export type FlacFrame = { readonly block: Block; readonly sampleRate: number; readonly bytes: number }

/** Extra bits of the channel that is a difference. */
const depthOf = (combination: Combination, channel: number, depth: number): number => {
  const side = { independent: -1, 'left-side': 1, 'side-right': 0, 'middle-side': 1 }[combination]
  return channel === side ? depth + 1 : depth
}

/** Restores left and right in place (RFC 9639, 4.2). */
const separate = (combination: Combination, first: Samples, second: Samples): void => {
  if (combination === 'independent') return
  for (let i = 0; i < first.length; i++) {
    const [a, b] = [first[i] ?? 0, second[i] ?? 0]
    if (combination === 'left-side') second[i] = a - b
    else if (combination === 'side-right') first[i] = a + b
    else {
      // The middle lacks its lowest bit, which is that of the difference.
      const sum = 2 * a + (Math.abs(b) % 2)
      first[i] = (sum + b) / 2
      second[i] = (sum - b) / 2
    }
  }
}

const toFloats = (samples: Samples, scale: number): Float32Array => {
  const floats = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) floats[i] = (samples[i] ?? 0) * scale
  return floats
}

const readChannels = (bits: BitReader, { channels, combination, length, bitDepth }: FrameHeader): Samples[] =>
  Array.from({ length: channels }, (_, channel) => readSubframe(bits, length, depthOf(combination, channel, bitDepth)))

/**
 * Reads the frame (RFC 9639, 9) at the beginning of `bytes`. Throws NoFrame if there is none with a right checksum, and
 * AudioRefused if the bytes end within it.
 */
export const readFrame = (bytes: Uint8Array, info: StreamInfo): FlacFrame => {
  const bits = createBitReader(bytes)
  const header = readFrameHeader(bits, bytes, info)
  if (!header) throw new NoFrame('There is no header of a frame')
  const channels = readChannels(bits, header)
  bits.align()
  const end = bits.position() / 8
  if (bits.read(16) !== flacCrc16(bytes.subarray(0, end))) throw new NoFrame('The checksum of the frame is wrong')
  const [first, second] = channels
  if (first && second) separate(header.combination, first, second)
  const scale = 1 / 2 ** (header.bitDepth - 1)
  return {
    block: channels.map((samples) => toFloats(samples, scale)),
    sampleRate: header.sampleRate,
    bytes: end + 2,
  }
}
