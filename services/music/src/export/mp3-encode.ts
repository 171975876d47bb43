import { createMp3Encoder } from 'wasm-media-encoders'
import { findMp3Frame, parseMp3Frame } from '../audio/mp3-frame.ts'
import { type Block, blockLength, monoOf } from '../audio/pcm.ts'
import { createResampler } from '../audio/resample.ts'
import { blocksOf, type StoredAudio } from '../audio/stored-audio.ts'
import { crc16, gaplessHeader } from './mp3-header.ts'

/** Variable bit rate quality of LAME, 0 (best) to 9: about 190 kbit/s for stereo at 44.1 kHz. */
const VBR_QUALITY = 2
/** Sample rates of MP3. */
const mp3Rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

type Mp3Rate = (typeof mp3Rates)[number]

/** The lowest MP3 rate that preserves the whole spectrum, else the highest. */
export const mp3RateFor = (sampleRate: number): Mp3Rate => mp3Rates.find((rate) => rate >= sampleRate) ?? 48_000

async function* atRate(audio: StoredAudio, rate: number, signal?: AbortSignal): AsyncGenerator<Block> {
  const resamplers = Array.from({ length: audio.channels }, () => createResampler(audio.sampleRate, rate))
  for await (const block of blocksOf(audio, signal)) {
    yield block.map((channel, index) => resamplers[index]?.push(channel) ?? channel)
  }
  yield resamplers.map((resampler) => resampler.flush())
}

/** Positions of the frames of an encoded stream. */
const framesOf = (bytes: Uint8Array): number[] => {
  const starts: number[] = []
  for (let at = findMp3Frame(bytes, 0)?.at ?? bytes.length; at < bytes.length; ) {
    const frame = parseMp3Frame(bytes, at)
    if (!frame) break
    starts.push(at)
    at += frame.length
  }
  return starts
}

/** Positions in the stream (0..255) at which each hundredth of its time begins. */
const seekTableOf = (starts: readonly number[], length: number): number[] =>
  Array.from({ length: 100 }, (_, i) =>
    Math.min(255, Math.floor(((starts[Math.floor((i * starts.length) / 100)] ?? 0) / Math.max(1, length)) * 256)),
  )

const concatenate = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * Encodes a piece as MP3 that plays exactly as long as the piece. LAME compiled to WebAssembly writes no header with the
 * padding of its first and last frame, so we prepend one. The stream is held in memory (about 1.5 MB a minute).
 */
export const encodeMp3 = async (audio: StoredAudio, signal?: AbortSignal): Promise<Uint8Array> => {
  const sampleRate = mp3RateFor(audio.sampleRate)
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate, channels: audio.channels === 1 ? 1 : 2, vbrQuality: VBR_QUALITY })
  const parts: Uint8Array[] = []
  let samples = 0
  for await (const block of atRate(audio, sampleRate, signal)) {
    if (blockLength(block) === 0) continue
    samples += blockLength(block)
    const [left = monoOf(block), right] = block
    // The returned array is the encoder's own memory, so it is copied before the next call.
    parts.push(Uint8Array.from(encoder.encode(right ? [left, right] : [left])))
  }
  parts.push(Uint8Array.from(encoder.finalize()))
  const stream = concatenate(parts)
  const starts = framesOf(stream)
  const header = gaplessHeader({
    firstFrame: stream.subarray(starts[0] ?? 0, (starts[0] ?? 0) + 4),
    frames: starts.length,
    bytes: stream.length,
    samples,
    streamCrc: crc16(stream),
    isConstant: false,
    kilobits: 0,
    seekTable: seekTableOf(starts, stream.length),
  })
  return concatenate([header, stream])
}
