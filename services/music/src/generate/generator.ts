import { measureFeatures, type Sound, soundOf } from '../analysis/features.ts'
import { type MonoPiece, monoPieceOf } from '../analysis/mono-piece.ts'
import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'

/** What a context sounds like, and the context itself at ANALYSIS_RATE. */
export interface Heard {
  readonly mono: MonoPiece
  readonly sound: Sound
}

/** Listens to a context of which nothing is known yet. */
export const listenTo = async (context: StoredAudio, signal?: AbortSignal): Promise<Heard> => {
  const mono = monoPieceOf(context)
  return { mono, sound: soundOf(await measureFeatures(mono, 0, undefined, signal), mono.samples) }
}

/** What a continuation is made from. */
export interface ContinuationRequest {
  /** What is heard before it, and what a recombining generator takes its material from. */
  readonly context: StoredAudio
  /** What the context sounds like, where that is known already: it is long work to find out. */
  readonly listen?: () => Promise<Heard>
  /** Exact length of the result. */
  readonly frames: number
  readonly prompt: string
  /** 0..2^53-1. */
  readonly seed: number
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

export interface Continuation {
  /** Exactly the frames asked for, in the shape of the context. */
  readonly block: Block
  /** Words of the prompt that were followed. */
  readonly honored: readonly string[]
}

/** Makes what comes after. The same request gives the same samples. Throws AudioRefused where it cannot. */
export type Generator = (request: ContinuationRequest) => Promise<Continuation>
