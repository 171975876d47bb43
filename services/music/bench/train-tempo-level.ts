import { activationsOf } from '../src/analysis/activations.ts'
import { firstSound, listen } from '../src/analysis/analyse.ts'
import { decodeBars } from '../src/analysis/bar-pointer.ts'
import { tempoOf } from '../src/analysis/beats.ts'
import { HOP } from '../src/analysis/spectral-frames.ts'
import { alternativesTo } from '../src/analysis/tempo-level.ts'
import { tempoLevelFeatures } from '../src/analysis/tempo-level-features.ts'
import { fitLogistic, type LabelledFeatures } from './logistic-regression.ts'
import { type TrainingPiece, trainingPieces } from './training-pieces.ts'

/** One question of a piece: is the faster of two pulses its tempo? */
type Example = LabelledFeatures & { readonly style: string; readonly isFaster: boolean }

/** The questions of a piece to which the answer is known: its first tempo is right, half or twice as fast. */
const examplesOf = ({ style, bpm, samples }: TrainingPiece): Example[] => {
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const found = decodeBars(activations, start)
  const first = found && tempoOf(found.beats.map(({ frame }) => frame * HOP))
  if (!first) return []
  const isNear = (ratio: number) => Math.abs(first / bpm / ratio - 1) < 0.06
  return alternativesTo(found, activations, start)
    .filter(({ isFaster }) => isNear(1) || isNear(isFaster ? 0.5 : 2))
    .map(({ isFaster, pair }) => {
      const features = tempoLevelFeatures(activations, pair)
      return { style, isFaster, features, isTrue: isNear(1) ? !isFaster : isFaster }
    })
}

const penalty = 1
const folds = 15

/** How many pieces a model without their style would correct, and how many it would spoil, by log odds that it requires. */
const crossValidate = (examples: readonly Example[]): void => {
  const styles = [...new Set(examples.map(({ style }) => style))]
  const judged = Array.from({ length: folds }, (_, fold) => {
    const left = new Set(styles.filter((_, i) => i % folds === fold))
    const { bias, weights } = fitLogistic(
      examples.filter(({ style }) => !left.has(style)),
      penalty,
    )
    return examples
      .filter(({ style }) => left.has(style))
      .map(({ features, isFaster, isTrue }) => {
        const odds = features.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), bias)
        return { odds: isFaster ? odds : -odds, isRight: isFaster === isTrue }
      })
  }).flat()
  for (const least of [0, 0.5, 1, 1.5]) {
    const changed = judged.filter(({ odds }) => odds >= least)
    const right = changed.filter(({ isRight }) => isRight).length
    const wrong = judged.filter(({ isRight }) => isRight).length
    console.log(`log odds of ${least}: ${right} of ${wrong} corrected, ${changed.length - right} spoiled`)
  }
}

// The bare pieces of the third generator have little that tells tempi apart; related tempi are chosen later with them, too.
const pieces = trainingPieces().filter(({ generator }) => generator !== 'third')
const examples = Array.from(pieces, examplesOf).flat()
console.log(`${examples.length} examples; with the styles of each fold left out:`)
crossValidate(examples)
console.log(
  JSON.stringify(fitLogistic(examples, penalty), (_, value) =>
    typeof value === 'number' ? Number(value.toFixed(4)) : value,
  ),
)
