import { createBitReader } from '../bit-reader.ts'

/** Properties of all frames of a FLAC stream, from its header. */
export type StreamInfo = {
  readonly sampleRate: number
  readonly channels: number
  readonly bitDepth: number
}

export const streamInfoBytes = 34

/** Parses the body of a STREAMINFO block (RFC 9639, 8.2). */
export const parseStreamInfo = (body: Uint8Array): StreamInfo => {
  const bits = createBitReader(body)
  // Sizes of blocks and frames, of which the frames themselves are a better source.
  bits.skip(2 * 16 + 2 * 24)
  return { sampleRate: bits.read(20), channels: bits.read(3) + 1, bitDepth: bits.read(5) + 1 }
}
