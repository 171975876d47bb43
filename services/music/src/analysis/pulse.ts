import { decodeBars } from './bar-pointer.ts'
import { sharesOfDownbeats } from './beat-evidence.ts'
import { type BeatOdds, beatOddsOf, type Measured } from './beat-odds.ts'
import type { Metre } from './metres.ts'

/** The metre of a piece and the frames of its beats, as the bar pointer finds them. */
export type Pulse = {
  readonly metre: Metre
  readonly frames: readonly number[]
  /** How likely (0..1) each beat is the first of its bar. */
  readonly downbeats: readonly number[]
}

/** What is measured of a piece whose sound begins in the frame `firstSound`. */
export type PulseEvidence = Measured & {
  readonly firstSound: number
  /** The odds of its beats: computed on first use, which takes longer than all else that is measured. */
  readonly odds: () => BeatOdds
}

export const pulseEvidence = (measured: Measured, firstSound: number): PulseEvidence => {
  let odds: BeatOdds | undefined
  return {
    ...measured,
    firstSound,
    odds() {
      odds ??= beatOddsOf(measured)
      return odds
    },
  }
}

/** Finds the pulse of a piece; undefined if there is none. */
export type FindPulse = (evidence: PulseEvidence) => Pulse | undefined

/** Finds the pulse that the bar pointer follows. */
export const decodePulse: FindPulse = ({ odds, firstSound }) => {
  const found = decodeBars(odds(), firstSound)
  if (!found) return undefined
  const { metre, beats } = found
  return { metre, frames: beats, downbeats: sharesOfDownbeats(odds(), beats) }
}
