import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'

/** Estimates of the stems of one stretch of a piece, all of the same length. Stretches follow one another without gaps. */
export type Estimates = {
  /** First frame of the stretch. */
  readonly start: number
  /** Vocals, drums and bass. `other` is what remains of the mixture. */
  readonly stems: readonly [vocals: Block, drums: Block, bass: Block]
}

export type SeparationOptions = {
  readonly signal: AbortSignal
  /** Reports the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Estimates the stems of a piece from its start to its end. */
export type Separator = (audio: StoredAudio, options: SeparationOptions) => AsyncIterable<Estimates>
