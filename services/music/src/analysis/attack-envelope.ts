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

/** Rises of the level over two values, which mark attacks. */
export const attacksOf = (levels: Float32Array): Float32Array =>
  levels.map((level, i) => Math.max(0, level - (levels[i - 2] ?? level)))
