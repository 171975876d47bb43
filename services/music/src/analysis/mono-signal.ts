import { monoOf } from '../audio/pcm.ts'
import { createResampler } from '../audio/resample.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { ANALYSIS_RATE } from './spectral-frames.ts'

/** Frames read at a time. */
const FRAMES_PER_READ = 131_072

/** A piece in mono at ANALYSIS_RATE: about 5 MB a minute. */
export const monoSignal = async (audio: StoredAudio, signal?: AbortSignal): Promise<Float32Array> => {
  const resampler = createResampler(audio.sampleRate, ANALYSIS_RATE, 'analysis')
  const mono = new Float32Array(Math.ceil((audio.frames * ANALYSIS_RATE) / audio.sampleRate))
  let written = 0
  const append = (samples: Float32Array) => {
    mono.set(samples.subarray(0, mono.length - written), written)
    written += Math.min(samples.length, mono.length - written)
  }
  for (let at = 0; at < audio.frames; at += FRAMES_PER_READ) {
    signal?.throwIfAborted()
    append(resampler.push(monoOf(await audio.read(at, FRAMES_PER_READ))))
  }
  append(resampler.flush())
  return mono
}
