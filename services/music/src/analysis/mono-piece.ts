import { monoOf } from '../audio/pcm.ts'
import { resamplerBetween } from '../audio/resample.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { ANALYSIS_RATE } from './spectral-frames.ts'

/** A piece in mono at ANALYSIS_RATE that is made where it is looked at: the whole of it would take 5 MB a minute. */
export interface MonoPiece {
  readonly samples: number
  /** The samples of a range, cut to the piece: the same ones, whatever range they are read in. */
  read(start: number, end: number): Promise<Float32Array>
}

/** Frames read at a time. */
const FRAMES_PER_READ = 131_072

/** How many samples at ANALYSIS_RATE so many frames come to. */
export const monoSamples = (frames: number, sampleRate: number): number =>
  Math.ceil((frames * ANALYSIS_RATE) / sampleRate)

/** Stored audio in mono at ANALYSIS_RATE. */
export const monoPieceOf = (audio: StoredAudio): MonoPiece => {
  const { create, up, down, reach } = resamplerBetween(audio.sampleRate, ANALYSIS_RATE, 'analysis')
  const samples = monoSamples(audio.frames, audio.sampleRate)
  // What a filter must have heard before its output is right.
  const lead = up === 1 && down === 1 ? 0 : reach
  return {
    samples,
    async read(start, end) {
      const [from, to] = [Math.max(0, start), Math.min(samples, end)]
      const result = new Float32Array(Math.max(0, to - from))
      if (result.length === 0) return result
      // A place that the resampler reaches by whole periods of its phases, so that its results are the same to the bit.
      const periods = Math.max(0, Math.floor((Math.floor((from * down) / up) - lead) / down))
      let produced = periods * up
      const resampler = create()
      const keep = (part: Float32Array) => {
        const skipped = Math.max(0, from - produced)
        const at = Math.max(0, produced - from)
        if (skipped < part.length) result.set(part.subarray(skipped, skipped + result.length - at), at)
        produced += part.length
      }
      const last = Math.min(audio.frames, Math.ceil((to * down) / up) + lead + 1)
      for (let at = periods * down; at < last; at += FRAMES_PER_READ) {
        keep(resampler.push(monoOf(await audio.read(at, Math.min(FRAMES_PER_READ, last - at)))))
      }
      if (produced < to) keep(resampler.flush())
      return result
    },
  }
}

/** Samples that lie in memory, at ANALYSIS_RATE already. */
export const monoInMemory = (signal: Float32Array): MonoPiece => ({
  samples: signal.length,
  read: async (start, end) => signal.subarray(Math.max(0, start), Math.max(0, end)),
})

/** A piece without what comes before a sample. */
export const monoFrom = (piece: MonoPiece, offset: number): MonoPiece => ({
  samples: piece.samples - offset,
  read: (start, end) => piece.read(offset + Math.max(0, start), offset + Math.max(0, end)),
})
