import type { Activations } from './activations.ts'
import type { DecodedBars } from './bar-pointer.ts'
import { decodeBeatPhase } from './beat-phase.ts'
import type { ChromaFrames } from './chroma.ts'
import type { BarModel } from './metres.ts'
import { decodeRelatedTempo } from './related-tempi.ts'
import { decodeSixEight } from './six-eight.ts'
import { decodeSteady } from './steady-path.ts'
import { decodeTempoLevel } from './tempo-level.ts'

/** The kind of bar of a piece and the frames of its beats, as the bar pointer finds them. */
export type Pulse = {
  readonly model: BarModel
  readonly frames: readonly number[]
}

/** Evidence of a piece whose sound begins in the frame `firstSound`. */
export type PulseEvidence = {
  readonly activations: Activations
  readonly chroma: ChromaFrames
  readonly firstSound: number
}

/** Finds the pulse of a piece; undefined if there is none. */
export type FindPulse = (evidence: PulseEvidence) => Pulse | undefined

/** The best path of the bar pointer at the tempo that the whole piece supports: most of the time that an analysis takes. */
export const decodeTempo = ({ activations, chroma, firstSound }: PulseEvidence): DecodedBars | undefined => {
  const first = decodeTempoLevel(activations, firstSound)
  const found = first && (decodeSixEight(first, activations, firstSound) ?? first)
  return found && decodeSteady(decodeRelatedTempo(found, activations, chroma, firstSound), activations, firstSound)
}

/** Finds the pulse at that tempo, on the beats and not between them. */
export const decodePulse: FindPulse = (evidence) => {
  const found = decodeTempo(evidence)
  if (!found) return undefined
  const { model, beats } = decodeBeatPhase(found, evidence.activations, evidence.chroma)
  return { model, frames: beats.map(({ frame }) => frame) }
}
