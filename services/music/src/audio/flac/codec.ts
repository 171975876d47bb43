import type { Codec, CodecOutput } from '../codec.ts'
import { blockLength, joinBlocks } from '../pcm.ts'
import { invalidAudio } from '../refusal.ts'
import { createFlacDecoder } from './decode.ts'
import type { FlacFrame } from './frame.ts'

/** Joins frames of one shape. Throws AudioRefused if they have several. */
const joined = (frames: readonly FlacFrame[]): CodecOutput => {
  const [first] = frames
  if (!first) return { channelData: [], samplesDecoded: 0, sampleRate: 0 }
  const { block, sampleRate } = first
  if (frames.some((frame) => frame.sampleRate !== sampleRate || frame.block.length !== block.length))
    throw invalidAudio('The sample rate or the channels change within the file.')
  const channelData = joinBlocks(
    frames.map((frame) => frame.block),
    block.length,
  )
  return { channelData, samplesDecoded: blockLength(channelData), sampleRate }
}

/** FLAC as a codec. Samples of up to 24 bits are exact. */
export const createFlacCodec = (): Codec => {
  const decoder = createFlacDecoder()
  return {
    ready: Promise.resolve(),
    free: () => undefined,
    decode: (bytes) => joined(decoder.push(bytes)),
    flush: () => joined(decoder.end()),
  }
}
