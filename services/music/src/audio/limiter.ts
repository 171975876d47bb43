import { type Block, blockLength } from './pcm.ts'
import { resample } from './resample.ts'
import { oversampling } from './true-peak.ts'

/** How long before a peak the gain begins to fall, and how slowly it returns (s). */
const lookahead = 0.002
const release = 0.08
/** Frames around a stretch that is too loud that are resampled with it, so that the filter has settled. */
const margin = 256
/** Frames that are examined at a time. */
const stretch = 65_536

/** The highest level of each frame, between samples, too; only where a sample is near the ceiling. */
const peaksOf = (block: Block, sampleRate: number, near: number): Float32Array => {
  const length = blockLength(block)
  const peaks = new Float32Array(length)
  const factor = oversampling(sampleRate)
  for (const channel of block) {
    for (let start = 0; start < length; start += stretch) {
      const end = Math.min(length, start + stretch)
      let loudest = 0
      for (let i = start; i < end; i++) {
        const value = Math.abs(channel[i] ?? 0)
        loudest = Math.max(loudest, value)
        peaks[i] = Math.max(peaks[i] ?? 0, value)
      }
      if (factor === 1 || loudest < near) continue
      const from = Math.max(0, start - margin)
      const over = resample(channel.subarray(from, Math.min(length, end + margin)), sampleRate, sampleRate * factor)
      for (let i = start; i < end; i++)
        for (let k = 0; k < factor; k++)
          peaks[i] = Math.max(peaks[i] ?? 0, Math.abs(over[(i - from) * factor + k] ?? 0))
    }
  }
  return peaks
}

/**
 * Limits the true peak of a block in place: the gain falls within LOOKAHEAD before each peak above `ceiling` (linear) and
 * returns slowly. Audio below the ceiling is not changed.
 */
export const limitTruePeak = (block: Block, sampleRate: number, ceiling: number): void => {
  // Between two samples a band-limited signal rarely exceeds them by more than 6 dB.
  const peaks = peaksOf(block, sampleRate, ceiling / 2)
  if (!peaks.some((peak) => peak > ceiling)) return
  const length = peaks.length
  const reach = Math.max(1, Math.round(lookahead * sampleRate))
  // The lowest gain within reach ahead, then its mean over as long, so that it is down when the peak comes.
  const gains = peaks.map((peak) => (peak > ceiling ? (0.999 * ceiling) / peak : 1))
  const lowest = new Float32Array(length)
  const queue: number[] = []
  for (let i = length - 1; i >= 0; i--) {
    while (queue.length > 0 && (gains[queue.at(-1) ?? 0] ?? 1) >= (gains[i] ?? 1)) queue.pop()
    queue.push(i)
    while ((queue[0] ?? i) > i + reach) queue.shift()
    lowest[i] = gains[queue[0] ?? i] ?? 1
  }
  const recovery = 1 - Math.exp(-1 / (release * sampleRate))
  const held = new Float32Array(length)
  let gain = 1
  for (let i = 0; i < length; i++) {
    gain = Math.min(lowest[i] ?? 1, gain + recovery * (1 - gain))
    held[i] = gain
  }
  let sum = 0
  for (let i = 0; i < length; i++) {
    sum += (held[i] ?? 1) - (i >= reach ? (held[i - reach] ?? 1) : 0)
    const mean = (sum + Math.max(0, reach - i - 1) * (held[0] ?? 1)) / reach
    for (const channel of block) channel[i] = (channel[i] ?? 0) * mean
  }
}
