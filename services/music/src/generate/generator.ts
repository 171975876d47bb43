import { measureFeatures, type Sound, soundOf } from '../analysis/features.ts'
import { type MonoPiece, monoPieceOf } from '../analysis/mono-piece.ts'
import type { FindPulse } from '../analysis/pulse.ts'
import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'

/** The features of a context, and the context itself at ANALYSIS_RATE. */
export type ContextSound = {
  readonly mono: MonoPiece
  readonly sound: Sound
  /** Finds its pulse, if not by the bar pointer alone. */
  readonly findPulse?: FindPulse
}

/** Analyses a context without stored features. */
export const analyseContext = async (context: StoredAudio, signal?: AbortSignal): Promise<ContextSound> => {
  const mono = monoPieceOf(context)
  return { mono, sound: soundOf(await measureFeatures(mono, 0, undefined, signal), mono.samples) }
}

/** Input of a continuation. */
export type ContinuationRequest = {
  /** The audio before it, from which a recombining generator takes its material. */
  readonly context: StoredAudio
  /** Loads the analysed context, if its features are stored: measuring them takes long. */
  readonly listen?: () => Promise<ContextSound>
  /** How much of the context's end a model takes, in frames; 0 for its default. */
  readonly contextFrames?: number
  /** Exact length of the result. */
  readonly frames: number
  readonly prompt: string
  /** 0..2^53-1. */
  readonly seed: number
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

export type Continuation = {
  /** Exactly the requested frames, in the shape of the context. */
  readonly block: Block
  /** Words of the prompt that were followed. */
  readonly honored: readonly string[]
}

/** Generates a continuation. Deterministic: the same request yields the same samples. Throws AudioRefused if it cannot. */
export type Generator = (request: ContinuationRequest) => Promise<Continuation>
