import { viewOf } from '../byte-source.ts'
import { AudioRefused, invalidAudio } from '../refusal.ts'

/** Properties of an ALAC stream, from its "magic cookie" (Apple Lossless format description, "ALACSpecificConfig"). */
export type AlacConfig = {
  readonly sampleRate: number
  readonly channels: number
  readonly bitDepth: number
  /** Frames of a packet; the last one may have fewer. */
  readonly packetFrames: number
  /** Parameters of the adaptive Golomb code: initial mean, its adaptation, the longest suffix. */
  readonly code: { readonly mean: number; readonly adaptation: number; readonly limit: number }
}

const cookieBytes = 24
const bitDepths = [16, 20, 24, 32]
/** Encoders use 4,096; more would let a few bytes become minutes. */
const mostPacketFrames = 16_384

export const parseAlacConfig = (cookie: Uint8Array): AlacConfig => {
  if (cookie.length < cookieBytes) throw invalidAudio('The ALAC config is too short.')
  const view = viewOf(cookie)
  const [bitDepth, adaptation, mean, limit, channels] = [5, 6, 7, 8, 9].map((offset) => view.getUint8(offset))
  const [packetFrames, sampleRate] = [view.getUint32(0), view.getUint32(20)]
  if (view.getUint8(4) !== 0)
    throw new AudioRefused('unsupported', 'This version of ALAC is unknown: convert the file to FLAC or WAV.')
  if (bitDepth === undefined || !bitDepths.includes(bitDepth)) {
    throw new AudioRefused('unsupported', `ALAC of ${bitDepth} bits is not supported: convert the file to FLAC or WAV.`)
  }
  if (!channels || sampleRate === 0 || packetFrames === 0 || packetFrames > mostPacketFrames || !limit) {
    throw invalidAudio('The ALAC config is damaged.')
  }
  return { sampleRate, channels, bitDepth, packetFrames, code: { mean: mean ?? 0, adaptation: adaptation ?? 0, limit } }
}
