import { type Block, blockLength, silentBlock, sliceBlock } from '../../audio/pcm.ts'
import type { Random } from '../../dsp/random.ts'
import { crossfade } from '../crossfade.ts'
import { type Frames, frameCount, joinFrames, sliceFrames } from './codec.ts'
import type { MusicModel } from './open-model.ts'
import type { TextStates } from './text.ts'

/** Consecutive windows are faded into one another before their boundary (s), where both contain the same frames. */
const overlapSeconds = 0.1

export type AddFramesOptions = {
  /** Frames to add, in as many windows as they take. */
  readonly count: number
  readonly random: Random
  readonly text: TextStates | undefined
  /** Called before each step with the share that is done. */
  readonly onStep: (share: number) => void
}

/** The network and codec of a model, and what limits its windows. */
export type WindowModel = Pick<MusicModel, 'codec' | 'sequence' | 'manifest' | 'contextSeconds'>

/**
 * Adds frames to a stretch and yields the audio of the stretch and the added frames, piece by piece. What exceeds a window is
 * generated in several, each of which begins with the last frames of the one before.
 */
export async function* addFrames(
  { codec, sequence, manifest, contextSeconds }: WindowModel,
  context: Frames,
  { count, random, text, onStep }: AddFramesOptions,
): AsyncGenerator<Block> {
  const { hop, sample_rate: rate } = manifest
  const window = Math.floor((manifest.window_seconds * rate) / hop)
  const carried = Math.max(1, Math.min(Math.floor((contextSeconds * rate) / hop), Math.floor(window / 2)))
  const overlap = Math.round(overlapSeconds * rate)
  let known = context
  let added = 0
  // The end of what was decoded, which is faded into the next window before it is final.
  let pending: Block | undefined
  while (added < count) {
    const adding = Math.min(count - added, window - frameCount(known))
    const done = added
    const frames = await sequence.extend(known, {
      count: adding,
      random,
      text,
      onStep: (step, steps) => onStep((done + (adding * step) / steps) / count),
    })
    const whole = joinFrames(known, frames)
    const audio = await codec.decode(whole)
    const boundary = frameCount(known) * hop
    let start = 0
    if (pending) {
      const length = Math.min(blockLength(pending), boundary)
      const faded = sliceBlock(pending, blockLength(pending) - length, blockLength(pending))
      // Both contain the same sounds.
      crossfade(faded, sliceBlock(audio, boundary - length, boundary), 1)
      yield pending
      start = boundary
    }
    added += adding
    const end = added < count ? Math.max(start, blockLength(audio) - overlap) : blockLength(audio)
    yield sliceBlock(audio, start, end)
    pending = added < count ? sliceBlock(audio, end, blockLength(audio)) : undefined
    known = sliceFrames(whole, Math.max(0, frameCount(whole) - carried))
  }
  if (count === 0) yield silentBlock(manifest.channels, 0)
}
