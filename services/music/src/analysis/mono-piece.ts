import { monoOf } from '../audio/pcm.ts'
import { resamplerBetween } from '../audio/resample.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { analysisRate } from './spectral-frames.ts'

/** A piece in mono at ANALYSIS_RATE, computed on read: the whole of it would take 5 MB a minute. */
export type MonoPiece = {
  readonly samples: number
  /** The samples of a range, clipped to the piece. They do not depend on the range that they are read in. */
  read(start: number, end: number): Promise<Float32Array>
}

/** Frames per read. */
const framesPerRead = 131_072

/** Number of samples at ANALYSIS_RATE of `frames` frames. */
export const monoSamples = (frames: number, sampleRate: number): number =>
  Math.ceil((frames * analysisRate) / sampleRate)

/** Stored audio in mono at ANALYSIS_RATE. */
export const monoPieceOf = (audio: StoredAudio): MonoPiece => {
  const { create, up, down, reach } = resamplerBetween(audio.sampleRate, analysisRate, 'analysis')
  const samples = monoSamples(audio.frames, audio.sampleRate)
  // Input that the filter needs before its output is exact.
  const lead = up === 1 && down === 1 ? 0 : reach
  return {
    samples,
    async read(start, end) {
      const [from, to] = [Math.max(0, start), Math.min(samples, end)]
      const result = new Float32Array(Math.max(0, to - from))
      if (result.length === 0) return result
      // Starts at a whole number of the resampler's phase periods, so that the results are bit-identical.
      const periods = Math.max(0, Math.floor((Math.floor((from * down) / up) - lead) / down))
      let produced = periods * up
      const resampler = create()
      const append = (part: Float32Array) => {
        const skipped = Math.max(0, from - produced)
        const at = Math.max(0, produced - from)
        if (skipped < part.length) result.set(part.subarray(skipped, skipped + result.length - at), at)
        produced += part.length
      }
      const last = Math.min(audio.frames, Math.ceil((to * down) / up) + lead + 1)
      for (let at = periods * down; at < last; at += framesPerRead) {
        append(resampler.push(monoOf(await audio.read(at, Math.min(framesPerRead, last - at)))))
      }
      if (produced < to) append(resampler.flush())
      return result
    },
  }
}

/** Samples in memory, already at ANALYSIS_RATE. */
export const monoInMemory = (signal: Float32Array): MonoPiece => ({
  samples: signal.length,
  read: async (start, end) => signal.subarray(Math.max(0, start), Math.max(0, end)),
})

/** A piece without the samples before `offset`. */
export const monoFrom = (piece: MonoPiece, offset: number): MonoPiece => ({
  samples: piece.samples - offset,
  read: (start, end) => piece.read(offset + Math.max(0, start), offset + Math.max(0, end)),
})
