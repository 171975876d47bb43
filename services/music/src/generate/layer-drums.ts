import { analysisRate } from '../analysis/spectral-frames.ts'
import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { percussivePart } from '../stems/percussive-part.ts'
import type { Layer } from './layer-bars.ts'
import type { Step } from './steps.ts'

/** When drums change, in seconds. */
export type DrumFades = {
  /** How long before a beat they change, and the length of the fade that ends there. */
  readonly guard: number
  readonly fade: number
}

/** Number of bars whose drums are retained, since a short source plays the same bars often: 0.7 MB for each 2 s in stereo at 44.1 kHz. */
const retainedBars = 12

/** The percussive part of a bar, from frame `start` of the source on. */
type DrumsOfBar = { readonly start: number; readonly part: Block }

/** Adds samples times `gain`, faded in over their first and out over their last `fade` frames; consecutive fades add up to 1. */
const addFaded = (
  target: Block,
  samples: Block,
  { at, gain, fade }: { at: number; gain: number; fade: number },
): void => {
  for (const [index, channel] of samples.entries()) {
    const sums = target[index]
    if (!sums) continue
    const { length } = channel
    for (let i = Math.max(0, -at); i < length && at + i < sums.length; i++) {
      const share = Math.min(1, (Math.min(i, length - 1 - i) + 0.5) / fade)
      sums[at + i] = (sums[at + i] ?? 0) + gain * (0.5 - 0.5 * Math.cos(Math.PI * share)) * (channel[i] ?? 0)
    }
  }
}

/**
 * Replaces the drums of bars of a stretch of the source by those of other bars, beat by beat, so that they remain on its beats. The rest of
 * each bar is what its own drums leave of it.
 */
export const createDrumLayering = (
  source: StoredAudio,
  { steps, stepsPerBar }: { readonly steps: readonly Pick<Step, 'start'>[]; readonly stepsPerBar: number },
  fades: DrumFades,
) => {
  const { sampleRate } = source
  const [guard, fade] = [Math.round(fades.guard * sampleRate), Math.round(fades.fade * sampleRate)]
  /** Where the drums of a step begin. */
  const entryOf = (step: number) => Math.round(((steps[step]?.start ?? 0) * sampleRate) / analysisRate) - guard
  const retained = new Map<number, DrumsOfBar>()
  const drumsOf = async (first: number): Promise<DrumsOfBar> => {
    const known = retained.get(first)
    if (known) return known
    const start = Math.max(0, entryOf(first) - fade)
    const end = Math.min(source.frames, entryOf(first + stepsPerBar))
    const found = { start, part: await percussivePart(source, { from: start, to: end }) }
    retained.set(first, found)
    const [oldest = first] = retained.keys()
    if (retained.size > retainedBars) retained.delete(oldest)
    return found
  }
  /** `from` is the frame of the source at which the stretch begins. */
  return async (stretch: Block, from: number, layers: readonly Layer[], signal?: AbortSignal): Promise<void> => {
    for (const { first, drums } of layers) {
      signal?.throwIfAborted()
      const own = await drumsOf(first)
      addFaded(stretch, own.part, { at: own.start - from, gain: -1, fade })
      const other = await drumsOf(drums)
      for (let step = first, played = drums; step < first + stepsPerBar; step++, played++) {
        // Of a longer beat the end is left out, or the next attack would be audible before its beat.
        const length = Math.min(entryOf(step + 1) - entryOf(step), entryOf(played + 1) - entryOf(played))
        const start = Math.max(other.start, entryOf(played) - fade)
        const end = entryOf(played) + length
        const beat = other.part.map((channel) => channel.subarray(start - other.start, end - other.start))
        addFaded(stretch, beat, { at: entryOf(step) + start - entryOf(played) - from, gain: 1, fade })
      }
    }
  }
}
