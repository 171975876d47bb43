import { createRandom, type Random } from '../src/dsp/random.ts'
import { meanOf } from '../src/dsp/statistics.ts'
import { type MaskNetwork, type MaskWeights, sharesOf } from '../src/stems/mask-network.ts'
import { cueCount } from '../src/stems/stem-cues.ts'
import { stemNames } from '../src/stems/stem-names.ts'
import { type MaskExamples, maskExamples } from './stem-mask-examples.ts'

/**
 * Fits the network that computes the masks of stems, and prints its weights for `src/stems/mask-weights.ts`. The error that it minimises is that of the
 * stems themselves: the squared difference of masked mixture and stem, in units of the stem's energy.
 */

const units = 16
const stems = stemNames.length
const settings = { steps: 3_000, pieces: 4, examples: 2_048, rate: 3e-3, decay: 1e-4, longestStep: 1 }

/** Normal deviates (Box and Muller). */
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

const emptyLike = ({ hidden, output }: MaskNetwork): MaskNetwork => ({
  units,
  hidden: new Float64Array(hidden.length),
  output: new Float64Array(output.length),
})

const drawnNetwork = (random: Random): MaskNetwork => ({
  units,
  hidden: Float64Array.from({ length: units * cueCount }, () => 0.4 * normal(random)),
  output: Float64Array.from({ length: stems * (units + 1) }, () => 0.3 * normal(random)),
})

/** Adds gradients of the error to one network. Arrays are reused: a fit has some twenty million examples. */
const createGradient = (network: MaskNetwork, gradient: MaskNetwork) => {
  const [activity, shares] = [new Float64Array(units), new Float64Array(stems)]
  const scores = new Float64Array(stems)
  const width = units + 1
  /** Adds the gradient in one example, `scale` times. */
  return ({ cues, powers, products, energies }: MaskExamples, example: number, scale: number): void => {
    const from = example * cueCount
    sharesOf(network, cues, from, { activity, shares })
    let mean = 0
    for (let stem = 0; stem < stems; stem++) {
      const share = shares[stem] ?? 0
      const error = share * (powers[example] ?? 0) - (products[example * stems + stem] ?? 0)
      scores[stem] = (2 * scale * error) / (energies[stem] ?? 1)
      mean += (scores[stem] ?? 0) * share
    }
    for (let stem = 0; stem < stems; stem++) scores[stem] = (shares[stem] ?? 0) * ((scores[stem] ?? 0) - mean)
    for (let unit = 0; unit < width; unit++) {
      const active = unit < units ? (activity[unit] ?? 0) : 1
      let back = 0
      for (let stem = 0, at = unit; stem < stems; stem++, at += width) {
        const score = scores[stem] ?? 0
        gradient.output[at] = (gradient.output[at] ?? 0) + score * active
        back += score * (network.output[at] ?? 0)
      }
      if (unit === units) continue
      const slope = back * (1 - active * active)
      for (let cue = 0, at = unit * cueCount; cue < cueCount; cue++, at++)
        gradient.hidden[at] = (gradient.hidden[at] ?? 0) + slope * (cues[from + cue] ?? 0)
    }
  }
}

/** Steps of Adam (Kingma and Ba, 2015) on one array of weights, with a penalty on their squares. */
const createSteps = (weights: Float64Array) => {
  const [means, squares] = [new Float64Array(weights.length), new Float64Array(weights.length)]
  let count = 0
  return (gradient: Float64Array, rate: number): void => {
    count++
    const slopes = gradient.map((value, i) => value / settings.pieces + settings.decay * (weights[i] ?? 0))
    const length = Math.hypot(...slopes)
    const shrink = length > settings.longestStep ? settings.longestStep / length : 1
    for (const [i, slope] of slopes.entries()) {
      means[i] = 0.9 * (means[i] ?? 0) + 0.1 * shrink * slope
      squares[i] = 0.999 * (squares[i] ?? 0) + 0.001 * (shrink * slope) ** 2
      const size = Math.sqrt((squares[i] ?? 0) / (1 - 0.999 ** count)) + 1e-8
      weights[i] = (weights[i] ?? 0) - (rate * (means[i] ?? 0)) / (1 - 0.9 ** count) / size
    }
  }
}

const fit = (pieces: readonly MaskExamples[], seed: number): MaskNetwork => {
  const random = createRandom(seed)
  const network = drawnNetwork(random)
  const gradient = emptyLike(network)
  const addGradient = createGradient(network, gradient)
  const steps = { hidden: createSteps(network.hidden), output: createSteps(network.output) }
  for (let step = 0; step < settings.steps; step++) {
    gradient.hidden.fill(0)
    gradient.output.fill(0)
    for (let drawn = 0; drawn < settings.pieces; drawn++) {
      const piece = pieces[Math.floor(random.next() * pieces.length)]
      if (!piece) break
      const scale = piece.count / settings.examples
      for (let i = 0; i < settings.examples; i++) addGradient(piece, Math.floor(random.next() * piece.count), scale)
    }
    const rate = settings.rate * (step < 0.6 * settings.steps ? 1 : 0.2)
    steps.hidden(gradient.hidden, rate)
    steps.output(gradient.output, rate)
  }
  return network
}

/** SI-SDR (dB) of the stems that a piece has beside others, by its examples; without a network, of the mixture in their place. */
const ratiosOf = (piece: MaskExamples, network: MaskNetwork | undefined): (number | undefined)[] => {
  const [activity, shares] = [new Float64Array(units), new Float64Array(stems).fill(1)]
  const [products, powers] = [new Float64Array(stems), new Float64Array(stems)]
  for (let example = 0; example < piece.count; example++) {
    if (network) sharesOf(network, piece.cues, example * cueCount, { activity, shares })
    for (const [stem, share] of shares.entries()) {
      products[stem] = (products[stem] ?? 0) + share * (piece.products[example * stems + stem] ?? 0)
      powers[stem] = (powers[stem] ?? 0) + share * share * (piece.powers[example] ?? 0)
    }
  }
  return stemNames.map((_, stem) => {
    if (!piece.isJudged[stem]) return undefined
    const target = (products[stem] ?? 0) ** 2 / (piece.energies[stem] ?? 1)
    return 10 * Math.log10(Math.max(target, 1e-12) / Math.max((powers[stem] ?? 0) - target, 1e-12))
  })
}

const report = (title: string, pieces: readonly MaskExamples[], network?: MaskNetwork): void => {
  const ratios = pieces.map((piece) => ratiosOf(piece, network))
  const means = stemNames.map((name, stem) => {
    const heard = ratios.flatMap((row) => row[stem] ?? [])
    return `${name} ${meanOf(heard).toFixed(1)}`
  })
  console.log(`${title}: ${means.join(', ')}`)
}

const rounded = ({ hidden, output }: MaskNetwork): MaskWeights => {
  const rowsOf = (weights: Float64Array, width: number) =>
    Array.from({ length: weights.length / width }, (_, row) =>
      [...weights.subarray(row * width, (row + 1) * width)].map((weight) => Number(weight.toFixed(3))),
    )
  return { hidden: rowsOf(hidden, cueCount), output: rowsOf(output, units + 1) }
}

const pieces = await Array.fromAsync(maskExamples())
const generators = ['arrangements', 'mixes'] as const
for (const generator of generators) {
  const own = pieces.filter((piece) => piece.generator === generator)
  const others = pieces.filter((piece) => piece.generator !== generator)
  report(`${generator}, mixture`, own)
  report(`${generator}, fitted on the other generator`, own, fit(others, 1))
  const held = own.filter((_, index) => index % 4 === 0)
  const rest = pieces.filter((piece) => !held.includes(piece))
  report(`${generator}, each fourth, fitted on the rest`, held, fit(rest, 1))
}
const network = fit(pieces, 1)
report('all, fitted on all', pieces, network)
console.log(JSON.stringify(rounded(network)))
