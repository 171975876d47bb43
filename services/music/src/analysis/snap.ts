import { quantile } from '../dsp/statistics.ts'
import { envelopeHop } from './attack-envelope.ts'
import { analysisRate } from './spectral-frames.ts'

/** How far (s) a beat moves at most to the attack that it stands for, and the spread of usual distances. */
const reachSeconds = 0.045
const spreadSeconds = 0.018
/** An attack is clear if it is at least this share of the piece's strong attacks, which are this share from the top. */
const clearShare = 0.12
const strongShare = 0.99
/** A rise that began earlier belongs to the attack down to this share of its top. */
const riseShare = 0.35
const longestRise = 8

/** Moves beats (samples at ANALYSIS_RATE) to the beginning of the attacks that they stand for, if those are clear. */
export const snapToAttacks = (beats: readonly number[], attacks: Float32Array): number[] => {
  const clear = clearShare * quantile(attacks, strongShare)
  const reach = Math.round((reachSeconds * analysisRate) / envelopeHop)
  const spread = (spreadSeconds * analysisRate) / envelopeHop
  if (!(clear > 0)) return [...beats]
  return beats.map((beat) => {
    const centre = Math.round(beat / envelopeHop)
    let [best, bestAt] = [0, -1]
    for (let i = Math.max(0, centre - reach); i <= Math.min(attacks.length - 1, centre + reach); i++) {
      if ((attacks[i] ?? 0) < clear) continue
      const value = (attacks[i] ?? 0) * Math.exp(-0.5 * ((i - centre) / spread) ** 2)
      if (value > best) {
        best = value
        bestAt = i
      }
    }
    if (bestAt < 0) return beat
    const enough = riseShare * (attacks[bestAt] ?? 0)
    // Between the waves of a low note the level falls, so the rises of one attack need not be adjacent.
    let start = Math.max(0, bestAt - longestRise)
    while ((attacks[start] ?? 0) < enough) start++
    return Math.max(0, (start - 0.5) * envelopeHop)
  })
}
