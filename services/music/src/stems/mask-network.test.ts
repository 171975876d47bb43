import { expect, test } from 'vitest'
import { sharesOf, toNetwork } from './mask-network.ts'
import { maskWeights } from './mask-weights.ts'
import { cueCount } from './stem-cues.ts'
import { stemNames } from './stem-names.ts'

const shares = (weights: Parameters<typeof toNetwork>[0], cues: Float32Array): number[] => {
  const network = toNetwork(weights)
  const result = { activity: new Float64Array(network.units), shares: new Float64Array(stemNames.length) }
  sharesOf(network, cues, 0, result)
  return [...result.shares]
}

test('a hidden unit is the hyperbolic tangent of its weighted cues, and shares are exponentials of weighted units over their sum', () => {
  const row = (cue: number, weight: number) => Array.from({ length: cueCount }, (_, i) => (i === cue ? weight : 0))
  const weights = {
    hidden: [row(0, 2), row(1, -1)],
    output: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 0.5],
      [0, 0, 0],
    ],
  }
  const cues = Float32Array.from({ length: cueCount }, (_, i) => (i < 2 ? 0.5 : 0))
  const scores = [Math.exp(Math.tanh(1)), Math.exp(Math.tanh(-0.5)), Math.exp(0.5), 1]
  const sum = scores.reduce((total, score) => total + score, 0)
  for (const [stem, share] of shares(weights, cues).entries()) expect(share).toBeCloseTo((scores[stem] ?? 0) / sum, 12)
})

test('the weights have a value for each cue and each stem, and their shares are finite for any cues', () => {
  expect(maskWeights.hidden.every((row) => row.length === cueCount)).toBe(true)
  expect(maskWeights.output).toHaveLength(stemNames.length)
  expect(maskWeights.output.every((row) => row.length === maskWeights.hidden.length + 1)).toBe(true)
  for (const value of [-3, 0, 1, 3]) {
    const all = shares(maskWeights, new Float32Array(cueCount).fill(value))
    expect(all.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  }
})
