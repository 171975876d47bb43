import type { Block } from '../audio/pcm.ts'

/**
 * Crossfades two stretches of the same length, writing into `outgoing`. The gains keep the power constant for any correlation
 * of the two: for identical signals they add up to 1, for unrelated ones their squares do.
 */
export const crossfade = (outgoing: Block, incoming: Block, correlation: number): void => {
  const length = outgoing[0]?.length ?? 0
  for (let i = 0; i < length; i++) {
    const fadeIn = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length)
    const fadeOut = 1 - fadeIn
    const power = fadeIn * fadeIn + fadeOut * fadeOut + 2 * correlation * fadeIn * fadeOut
    const scale = 1 / Math.sqrt(power)
    for (const [index, channel] of outgoing.entries()) {
      channel[i] = scale * (fadeOut * (channel[i] ?? 0) + fadeIn * (incoming[index]?.[i] ?? 0))
    }
  }
}
