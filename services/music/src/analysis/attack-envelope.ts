/** Samples of one value of the attack envelope: 1.5 ms. */
export const envelopeHop = 32

/** Levels (root mean square) of a mono signal at ANALYSIS_RATE, one per ENVELOPE_HOP samples. */
export const envelopeLevels = (signal: Float32Array): Float32Array => {
  const length = Math.floor(signal.length / envelopeHop)
  const levels = new Float32Array(length)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let k = 0; k < envelopeHop; k++) {
      const value = signal[i * envelopeHop + k] ?? 0
      sum += value * value
    }
    levels[i] = Math.sqrt(sum / envelopeHop)
  }
  return levels
}

/** How long (values) a level is remembered: 12 ms, the period of a low bass note, whose waves are no attacks of their own. */
const memory = 8

/** Rises of the level above all of the values before, as far as they are remembered, which mark attacks. Before its beginning a piece is silent. */
export const attacksOf = (levels: Float32Array): Float32Array =>
  levels.map((level, i) => {
    let before = levels[i - 2] ?? 0
    for (let k = 3; k <= memory && k <= i; k++) before = Math.max(before, levels[i - k] ?? 0)
    return Math.max(0, level - before)
  })
