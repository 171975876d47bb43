import { type Block, blockLength } from './pcm.ts'
import { designFilter } from './resample.ts'

/** Oversampling by BS.1770-4 annex 2: four times up to 48 kHz, less above, where samples are closer together. */
export const oversampling = (sampleRate: number): number => (sampleRate <= 48_000 ? 4 : sampleRate <= 96_000 ? 2 : 1)

/** Samples between which levels are computed together, unless they are all too low for a new peak. */
const stretch = 64
/** Margin for rounding, since a level between samples is compared with a bound for it. */
const rounding = 1 + 1e-6

/**
 * The highest level between the samples of one channel, which is fed piece by piece: returns the higher of that and `peak`. A level
 * between samples is at most the highest sample around it times the sum of the filter's taps, so most of them need not be computed.
 */
const createInterpolatedPeak = (sampleRate: number, factor: number) => {
  const { reach, taps } = designFilter(sampleRate, sampleRate * factor, 'listening')
  const length = 2 * reach
  let gain = 0
  for (let row = 0; row < taps.length; row += length)
    gain = Math.max(
      gain,
      taps.subarray(row, row + length).reduce((sum, tap) => sum + Math.abs(tap), 0),
    )
  let held = new Float32Array(reach - 1)
  const push = (samples: Float32Array, known: number): number => {
    const input = new Float32Array(held.length + samples.length)
    input.set(held)
    input.set(samples, held.length)
    const end = Math.max(0, input.length - length + 1)
    let peak = known
    for (let start = 0; start < end; start += stretch) {
      const last = Math.min(end, start + stretch)
      let loudest = 0
      for (let i = start; i < last + length - 1; i++) loudest = Math.max(loudest, Math.abs(input[i] ?? 0))
      if (loudest * gain * rounding <= peak) continue
      for (let first = start; first < last; first++) {
        for (let row = 0; row < taps.length; row += length) {
          let sum = 0
          for (let k = 0; k < length; k++) sum += (taps[row + k] ?? 0) * (input[first + k] ?? 0)
          peak = Math.max(peak, Math.abs(Math.fround(sum)))
        }
      }
    }
    held = input.slice(end)
    return peak
  }
  return { push, flush: (known: number) => push(new Float32Array(reach), known) }
}

/** A true-peak meter that is fed block by block; its result is linear, full scale at 1. */
export const createTruePeakMeter = (sampleRate: number, channels: number) => {
  const factor = oversampling(sampleRate)
  const between = factor === 1 ? [] : Array.from({ length: channels }, () => createInterpolatedPeak(sampleRate, factor))
  let peak = 0
  return {
    push(block: Block): void {
      if (blockLength(block) === 0) return
      for (const [index, channel] of block.entries()) {
        for (let i = 0; i < channel.length; i++) peak = Math.max(peak, Math.abs(channel[i] ?? 0))
        peak = between[index]?.push(channel, peak) ?? peak
      }
    },
    /** The highest level including the filter's tail. The meter must not be used afterwards. */
    finish(): number {
      for (const channel of between) peak = channel.flush(peak)
      return peak
    },
  }
}
