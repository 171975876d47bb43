import { cueCount } from './stem-cues.ts'
import { stemNames } from './stem-names.ts'

/** Weights of two layers: a row per hidden unit with a weight per cue, and a row per stem with a weight per hidden unit and a bias. */
export type MaskWeights = {
  readonly hidden: readonly (readonly number[])[]
  readonly output: readonly (readonly number[])[]
}

/** The two layers with their weights in one array each. */
export type MaskNetwork = {
  readonly units: number
  readonly hidden: Float64Array
  readonly output: Float64Array
}

export const toNetwork = ({ hidden, output }: MaskWeights): MaskNetwork => ({
  units: hidden.length,
  hidden: Float64Array.from(hidden.flat()),
  output: Float64Array.from(output.flat()),
})

/**
 * Computes the shares of the stems in a bin, which sum to 1, from its cues at `at`. `activity` receives the hidden units, and has room for them.
 */
export const sharesOf = (
  { units, hidden, output }: MaskNetwork,
  cues: Float32Array,
  at: number,
  { activity, shares }: { activity: Float64Array; shares: Float64Array },
): void => {
  for (let unit = 0, weight = 0; unit < units; unit++) {
    let sum = 0
    for (let cue = 0; cue < cueCount; cue++, weight++) sum += (hidden[weight] ?? 0) * (cues[at + cue] ?? 0)
    activity[unit] = Math.tanh(sum)
  }
  let total = 0
  for (let stem = 0, weight = 0; stem < stemNames.length; stem++) {
    let sum = 0
    for (let unit = 0; unit < units; unit++, weight++) sum += (output[weight] ?? 0) * (activity[unit] ?? 0)
    sum += output[weight++] ?? 0
    // Weights and activities are small: no exponential overflows.
    const score = Math.exp(sum)
    shares[stem] = score
    total += score
  }
  for (let stem = 0; stem < stemNames.length; stem++) shares[stem] = (shares[stem] ?? 0) / total
}
