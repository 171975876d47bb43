import { frameRate } from './spectral-frames.ts'

/** Range and number of tempi, equally spaced on a log scale (2.2 % apart). */
const slowest = 46
const fastest = 208
export const tempi = 69
/** The tempo that listeners tap most readily, and the cost per frame of one that is an octave away, squared. */
const preferredBpm = 112
const preference = 0.008
/** Cost of a beat that is a hundredth of its length early or late, squared, and how far it may be (share of its length). */
const timing = 0.3
const looseness = 0.025
/**
 * Costs of a change of tempo from one beat to the next, by its number of steps. They grow by less than the change, since a tempo that
 * changes at all (rubato, a ritardando) may change much.
 */
export const changeCosts: readonly number[] = [0, 1, 2, 3].map((steps) => 1.5 * steps ** 0.7)
export const mostChange = changeCosts.length - 1

const bpmOf = (tempo: number): number => slowest * (fastest / slowest) ** (tempo / (tempi - 1))

const tempoCost = (bpm: number): number => preference * Math.log2(bpm / preferredBpm) ** 2

/** Lengths (frames) of a beat at each tempo and what each costs: flat arrays with rows of WIDEST values, of which COUNTS are set. */
export type BeatLengths = {
  readonly widest: number
  readonly counts: Int32Array
  readonly lengths: Int32Array
  readonly costs: Float64Array
  readonly shortest: number
  readonly longest: number
}

const createBeatLengths = (): BeatLengths => {
  const rows = Array.from({ length: tempi }, (_, tempo) => {
    const period = (60 * frameRate) / bpmOf(tempo)
    const [least, most] = [Math.floor(period * (1 - looseness)), Math.ceil(period * (1 + looseness))]
    return Array.from({ length: most - least + 1 }, (_, i) => {
      const miss = Math.max(0, Math.abs(least + i - period) - 0.5) / period
      return { length: least + i, cost: timing * (100 * miss) ** 2 + tempoCost(bpmOf(tempo)) * (least + i) }
    })
  })
  const widest = Math.max(...rows.map((row) => row.length))
  const [lengths, costs] = [new Int32Array(tempi * widest), new Float64Array(tempi * widest)]
  for (const [tempo, row] of rows.entries())
    for (const [index, { length, cost }] of row.entries()) {
      lengths[tempo * widest + index] = length
      costs[tempo * widest + index] = cost
    }
  const all = rows.flat().map(({ length }) => length)
  return {
    ...{ widest, lengths, costs },
    counts: Int32Array.from(rows, (row) => row.length),
    shortest: Math.min(...all),
    longest: Math.max(...all),
  }
}

export const beatLengths: BeatLengths = createBeatLengths()
