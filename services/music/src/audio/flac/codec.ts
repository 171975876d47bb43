import { type Codec, type CodecOutput, joinOutputs } from '../codec.ts'
import { blockLength } from '../pcm.ts'
import { createFlacDecoder } from './decode.ts'
import type { FlacFrame } from './frame.ts'

const outputOf = (frames: readonly FlacFrame[]): CodecOutput =>
  joinOutputs(
    frames.map(({ block, sampleRate }) => ({ channelData: block, samplesDecoded: blockLength(block), sampleRate })),
  )

/** FLAC as a codec. Samples of up to 24 bits are exact. */
export const createFlacCodec = (): Codec => {
  const decoder = createFlacDecoder()
  return {
    ready: Promise.resolve(),
    free: () => undefined,
    decode: (bytes) => outputOf(decoder.push(bytes)),
    flush: () => outputOf(decoder.end()),
  }
}
