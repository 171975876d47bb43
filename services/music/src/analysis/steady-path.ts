import type { Activations } from './activations.ts'
import { type DecodedBars, decodeBars } from './bar-pointer.ts'
import { tempiAround } from './beat-lengths.ts'
import { frameRate } from './spectral-frames.ts'
import { pathTempo } from './tempo-level.ts'

/** How far the tempo of a steady path may move (octaves): one step of the bar pointer. */
const reach = 0.032

/** Log likelihood per second that a steady path may lack. */
const maxLoss = 0.25

/**
 * The best path at a steady tempo, if it is nearly as likely as one that changes its tempo. Where accents move between the beats for some bars, the
 * bar pointer follows them within a few beats that are shorter or longer. Music whose tempo does change is much less likely at a steady one.
 */
export const decodeSteady = (found: DecodedBars, activations: Activations, firstSound: number): DecodedBars => {
  const range = tempiAround(pathTempo(found), reach)
  const steady = range && decodeBars(activations, firstSound, range)
  if (!steady) return found
  return found.score - steady.score <= (maxLoss * activations.frames) / frameRate ? steady : found
}
