import { createMp3Encoder } from 'wasm-media-encoders'
import { playBand } from './band.ts'

/** An MP3 file of 64 kbit/s at 24 kHz, whose frames all have the same length, so that it is also one of a free format. */
export const constantMp3 = async (channels: 1 | 2): Promise<Uint8Array> => {
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: 24_000, channels, bitrate: 64 })
  const [left, right] = playBand({ bars: 1, sampleRate: 24_000, channels: 2 }).block
  if (!left || !right) throw new Error('The band plays in stereo')
  const body = Uint8Array.from(encoder.encode(channels === 1 ? [left] : [left, right]))
  return Buffer.concat([body, encoder.finalize()])
}
