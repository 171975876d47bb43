import { type Block, blockLength } from '../../audio/pcm.ts'

/** Time over which the energy of an estimate is averaged (s). */
const averagedSeconds = 0.02

/**
 * Adds what estimates lack of their mixture to each in proportion to its energy, so that they sum to the mixture (as in
 * Wisdom et al., ICASSP 2019). Call it with consecutive stretches.
 */
export const createConsistency = (
  sampleRate: number,
  { stems, channels }: { stems: number; channels: number },
): ((estimates: readonly Block[], mixture: Block) => void) => {
  const decay = Math.exp(-1 / (averagedSeconds * sampleRate))
  const energies = Array.from({ length: channels }, () => new Float64Array(stems))
  return (estimates, mixture) => {
    for (const [index, mixed] of mixture.entries()) {
      const energy = energies[index] ?? new Float64Array(stems)
      const parts = estimates.map((estimate) => estimate[index] ?? new Float32Array(0))
      for (let i = 0; i < blockLength(mixture); i++) {
        let [rest, total] = [mixed[i] ?? 0, 0]
        for (let stem = 0; stem < stems; stem++) {
          const value = parts[stem]?.[i] ?? 0
          rest -= value
          const average = decay * (energy[stem] ?? 0) + (1 - decay) * value * value
          energy[stem] = average
          total += average
        }
        for (let stem = 0; stem < stems; stem++) {
          const part = parts[stem]
          const share = total > 0 ? (energy[stem] ?? 0) / total : 1 / stems
          if (part) part[i] = (part[i] ?? 0) + share * rest
        }
      }
    }
  }
}
