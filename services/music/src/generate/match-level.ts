import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { clamp } from '../dsp/statistics.ts'

/** Lengths over which loudness is compared at the first and other joins (s), and the shortest one. */
export const comparedSeconds = { first: 0.3, inner: 1 }
const minCompared = 0.1
/**
 * Loudness is adjusted by only a few dB where stretches of the source meet. After a piece that has faded out, the music
 * enters as softly as the piece ended, so the first join may be lowered to silence.
 */
const largestGainDb = 5
const largestCutDb = { first: 60, inner: 5 }
/**
 * Time in which the gain returns to none (s). At the first join it is short, since loudness over the next seconds is matched
 * separately.
 */
const recovery = { first: 1, inner: 4 }
/** Loudness assumed for silence when levels are matched. */
const silentLufs = -80

export type Join = {
  /** What was played up to the join, and the source before the incoming stretch. */
  readonly played: Block
  readonly before: Block
  /** The incoming stretch. */
  readonly coming: Block
  readonly sampleRate: number
  readonly position: 'first' | 'inner'
}

const peakOf = (block: Block): number => {
  let peak = 0
  for (const channel of block) for (const value of channel) if (Math.abs(value) > peak) peak = Math.abs(value)
  return peak
}

/** The gain (dB) that matches the loudness of the incoming stretch to what was played, measured before both sides of the join. */
export const matchingGain = ({ played, before, coming, sampleRate, position }: Join): number => {
  const length = Math.min(blockLength(played), blockLength(before), Math.round(comparedSeconds[position] * sampleRate))
  if (length < minCompared * sampleRate) return 0
  const tail = (block: Block) => sliceBlock(block, blockLength(block) - length, blockLength(block))
  const [playedLufs, beforeLufs] = [loudnessOf(tail(played), sampleRate), loudnessOf(tail(before), sampleRate)]
  if (beforeLufs === null) return 0
  const matching = clamp((playedLufs ?? silentLufs) - beforeLufs, -largestCutDb[position], largestGainDb)
  const headroom = -20 * Math.log10(Math.max(1e-6, peakOf(coming)))
  return Math.min(matching, Math.max(0, headroom))
}

/** Scales a stretch by the gain that matches it, which returns to none. */
export const matchLevel = (join: Join): void => {
  const gainDb = matchingGain(join)
  if (gainDb === 0) return
  const length = join.sampleRate * recovery[join.position]
  for (const channel of join.coming) {
    for (let i = 0; i < Math.min(length, channel.length); i++)
      channel[i] = (channel[i] ?? 0) * 10 ** ((gainDb * (1 - i / length)) / 20)
  }
}
