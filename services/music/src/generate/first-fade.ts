import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { crossfade } from './crossfade.ts'
import { extrapolate } from './extrapolate.ts'

/**
 * Fades in the beginning of a continuation under the source's own end, which linear prediction extends, so that the source's
 * samples need not change. `past` is the source's last second.
 */
export const fadeFromPast = (
  past: Block,
  incoming: Block,
  { frames, correlation }: { frames: number; correlation: number },
): void => {
  const length = Math.min(frames, blockLength(incoming))
  const extrapolated = past.map((channel) => extrapolate(channel, length))
  crossfade(extrapolated, sliceBlock(incoming, 0, length), correlation)
  for (const [index, channel] of extrapolated.entries()) incoming[index]?.set(channel)
}
