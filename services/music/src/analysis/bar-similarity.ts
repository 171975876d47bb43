import { median, quantile } from '../dsp/statistics.ts'

/** Beats, their positions in bars, and how unlike two of them sound (1: as two random ones). */
export type StructureInput = {
  readonly positions: readonly number[]
  readonly beatsPerBar: number
  readonly distance: (a: number, b: number) => number
}

/** How unlike the bars of a piece are, in matrices of COUNT rows. */
export type BarSimilarity = {
  readonly count: number
  readonly distances: Float32Array
  /** The same along the diagonals: of passages instead of single bars. */
  readonly enhanced: Float32Array
  /** The median distance. */
  readonly unit: number
}

/** Bars over which similarity must last, so that one bar that happens to be alike is no repetition. */
const pathBars = 4

/** How unlike two bars are: a mean over their beats. */
const barDistances = ({ beatsPerBar, positions, distance }: StructureInput, bars: readonly number[]): Float32Array => {
  const count = bars.length
  const distances = new Float32Array(count * count)
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      let sum = 0
      for (let beat = 0; beat < beatsPerBar; beat++) {
        const [one, other] = [(bars[a] ?? 0) + beat, (bars[b] ?? 0) + beat]
        sum += distance(Math.min(one, positions.length - 1), Math.min(other, positions.length - 1))
      }
      distances[a * count + b] = sum / beatsPerBar
      distances[b * count + a] = sum / beatsPerBar
    }
  }
  return distances
}

/** Medians along the diagonals: two bars are alike if most of those around them are (path enhancement). */
const enhance = (distances: Float32Array, count: number): Float32Array => {
  const enhanced = new Float32Array(count * count)
  const reach = Math.floor(pathBars / 2)
  // An insertion sort: there are few values for each of many pairs of bars.
  const around = new Float32Array(2 * reach + 1)
  for (let a = 0; a < count; a++) {
    for (let b = a; b < count; b++) {
      let size = 0
      for (let shift = -reach; shift <= reach; shift++) {
        if (a + shift < 0 || b + shift >= count) continue
        const value = distances[(a + shift) * count + b + shift] ?? 0
        let at = size++
        for (; at > 0 && (around[at - 1] ?? 0) > value; at--) around[at] = around[at - 1] ?? 0
        around[at] = value
      }
      enhanced[a * count + b] = around[size >> 1] ?? 0
      enhanced[b * count + a] = enhanced[a * count + b] ?? 0
    }
  }
  return enhanced
}

/** A sample of the values of a matrix that are not 0, for quantiles: every 17th. */
const sampleOf = (matrix: Float32Array): Float32Array => matrix.filter((value, i) => value > 0 && i % 17 === 0)

/** Compares the bars that begin with some beats. */
export const compareBars = (input: StructureInput, bars: readonly number[]): BarSimilarity => {
  const distances = barDistances(input, bars)
  return {
    count: bars.length,
    distances,
    enhanced: enhance(distances, bars.length),
    unit: median(sampleOf(distances)) || 1,
  }
}

/** The distance below which only a share of all passages are. */
export const distanceOfShare = ({ enhanced }: BarSimilarity, share: number): number =>
  quantile(sampleOf(enhanced), share)
