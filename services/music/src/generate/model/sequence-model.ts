import type { Random } from '../../dsp/random.ts'
import type { Frames } from './codec.ts'
import type { TextStates } from './text.ts'

export type ExtendOptions = {
  /** Frames to add. */
  readonly count: number
  /** What the continuation should be like. */
  readonly text: TextStates | undefined
  readonly random: Random
  /** Fewer steps than in the manifest, for a trial. */
  readonly maxSteps?: number
  /** Called before each step. */
  readonly onStep: (step: number, steps: number) => void
}

/** The network that adds frames to a stretch. */
export type SequenceModel = {
  /** The frames that follow the known ones; known and added frames must fit in a window. */
  extend(known: Frames, options: ExtendOptions): Promise<Frames>
}
