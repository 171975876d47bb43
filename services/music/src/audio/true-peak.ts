import { type Block, blockLength } from './pcm.ts'
import { createResampler } from './resample.ts'

/** Oversampling by BS.1770-4 annex 2: four times up to 48 kHz, less above, where samples are closer together. */
export const oversampling = (sampleRate: number): number => (sampleRate <= 48_000 ? 4 : sampleRate <= 96_000 ? 2 : 1)

/** A true-peak meter that is fed block by block; its result is linear, full scale at 1. */
export const createTruePeakMeter = (sampleRate: number, channels: number) => {
  const rate = sampleRate * oversampling(sampleRate)
  const resamplers = Array.from({ length: channels }, () => createResampler(sampleRate, rate))
  let peak = 0
  const observe = (samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) peak = Math.max(peak, Math.abs(samples[i] ?? 0))
  }
  return {
    push(block: Block): void {
      if (blockLength(block) === 0) return
      for (const [index, channel] of block.entries()) {
        observe(channel)
        const up = resamplers[index]?.push(channel)
        if (up) observe(up)
      }
    },
    /** The highest level including the filter's tail. The meter must not be used afterwards. */
    finish(): number {
      for (const resampler of resamplers) observe(resampler.flush())
      return peak
    },
  }
}
