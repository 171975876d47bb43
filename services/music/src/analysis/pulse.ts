import type { Activations } from './activations.ts'
import type { BarModel } from './metres.ts'
import { decodeSixEight } from './six-eight.ts'
import { decodeTempoLevel } from './tempo-level.ts'

/** The kind of bar of a piece and the frames of its beats, as the bar pointer finds them. */
export type Pulse = {
  readonly model: BarModel
  readonly frames: readonly number[]
}

/** Finds the pulse in the evidence of a piece whose sound begins in the frame `firstSound`; undefined if there is none. */
export type FindPulse = (activations: Activations, firstSound: number) => Pulse | undefined

/** Finds the pulse by the bar pointer, at the level of tempo that the whole piece supports: most of the time that an analysis takes. */
export const decodePulse: FindPulse = (activations, firstSound) => {
  const found = decodeTempoLevel(activations, firstSound)
  const decoded = found && (decodeSixEight(found, activations, firstSound) ?? found)
  return decoded && { model: decoded.model, frames: decoded.beats.map(({ frame }) => frame) }
}
