import { activationsOf } from '../src/analysis/activations.ts'
import { firstSound, listen } from '../src/analysis/analyse.ts'
import { type BarSize, barEvidence } from '../src/analysis/bar-weights.ts'
import { type BarPhase, type BeatAccents, positionMeans, standardiseAccents } from '../src/analysis/bars.ts'
import { accentsOf } from '../src/analysis/beat-accents.ts'
import { beatsPerBar } from '../src/analysis/metres.ts'
import { pathsAtRelatedTempi } from '../src/analysis/related-tempi.ts'
import { analysisRate, HOP } from '../src/analysis/spectral-frames.ts'
import { decodeTempoLevel } from '../src/analysis/tempo-level.ts'
import { beatFMeasure } from '../test/beat-metrics.ts'
import { type Choice, crossValidate, fitChoices } from './choice-model.ts'
import { type TrainingPiece, trainingPieces } from './training-pieces.ts'

const sizes = [2, 3, 4] as const

const featuresOf = (standard: BeatAccents, phase: BarPhase, decoded: BarSize): number[] => [
  ...sizes.flatMap((size) =>
    size === phase.size ? positionMeans(standard, phase) : new Array<number>(size * barEvidence.length).fill(0),
  ),
  phase.size === 3 ? 1 : 0,
  phase.size === decoded ? 1 : 0,
]

/** Which kind of bars has a piece, and where do they begin? Asked where one of the paths through it has its beats. */
const choicesOf = ({ style, samples, bars }: TrainingPiece): Choice[] => {
  if (!bars) return []
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const found = decodeTempoLevel(activations, start)
  const path = (found ? pathsAtRelatedTempi(found, activations, start) : [])
    .map(({ model, beats }) => ({ decoded: beatsPerBar[model.metre], samples: beats.map(({ frame }) => frame * HOP) }))
    .find(({ samples }) => {
      const times = samples.map((sample) => sample / analysisRate)
      return beatFMeasure(bars.beats, times) >= 0.9
    })
  if (!path) return []
  const standard = standardiseAccents(accentsOf(chroma, activations, path.samples))
  const asked = path.decoded === 2 ? ([2] as const) : ([3, 4] as const)
  const answers = asked.flatMap((size) =>
    Array.from({ length: size }, (_, first) => {
      const downbeats = path.samples.filter((_, i) => (first + i) % size === 0).map((sample) => sample / analysisRate)
      return {
        features: featuresOf(standard, { size, first }, path.decoded),
        isRight: size === beatsPerBar[bars.metre] && beatFMeasure(bars.downbeats, downbeats) > 0.85,
      }
    }),
  )
  return answers.some(({ isRight }) => isRight) ? [{ style, answers }] : []
}

const choices = Array.from(trainingPieces(), choicesOf).flat()
const right = crossValidate(choices).filter(({ isRight }) => isRight).length
console.log(`bars of ${choices.length} pieces: ${right} right, with the styles of each fold left out`)
const weights = fitChoices(choices).map((weight) => Number(weight.toFixed(3)))
const [triple, decoded] = weights.slice(-2)
const positions = sizes.map((size) => {
  const start = sizes.filter((other) => other < size).reduce((sum, other) => sum + other * barEvidence.length, 0)
  const ofKind = (i: number) => weights.slice(start + i * size, start + (i + 1) * size)
  return [size, Object.fromEntries(barEvidence.map((kind, i) => [kind, ofKind(i)]))]
})
console.log(JSON.stringify({ positions: Object.fromEntries(positions), triple, decoded }))
