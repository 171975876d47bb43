import { activationsOf } from '../src/analysis/activations.ts'
import { firstSound, listen } from '../src/analysis/analyse.ts'
import { decodeBars } from '../src/analysis/bar-pointer.ts'
import { tempoOf } from '../src/analysis/beats.ts'
import { HOP } from '../src/analysis/spectral-frames.ts'
import { alternativesTo } from '../src/analysis/tempo-level.ts'
import { tempoLevelFeatures } from '../src/analysis/tempo-level-features.ts'
import { playEnsemble } from '../test/ensemble-pieces.ts'
import { playPiece } from '../test/synthetic-pieces.ts'
import { playTune, tuneStyles } from '../test/tempo-tunes.ts'
import { benchScores, ensembleScores, tempoPlayed } from './analysis.ts'
import { fitLogistic, type LabelledFeatures } from './logistic-regression.ts'

/** A piece of known tempo. */
type Known = { readonly style: string; readonly bpm: number; readonly samples: Float32Array }

/** One question of a piece: is the faster of two pulses its tempo? */
type Example = LabelledFeatures & { readonly style: string; readonly isFaster: boolean }

/** Seeds are other than those of the benchmark and of the tests. */
function* pieces(): Generator<Known> {
  for (const score of [
    ...benchScores(711),
    ...benchScores(723, { stride: 2, pace: 'drift' }),
    ...benchScores(723, { stride: 2, pace: 'rubato' }),
  ]) {
    const piece = playPiece(score)
    yield { style: score.style, bpm: tempoPlayed(piece), samples: piece.samples }
  }
  for (const score of [
    ...ensembleScores(333),
    ...ensembleScores(333, { stride: 4, pace: 'drift' }),
    ...ensembleScores(333, { stride: 3, pace: 'rubato' }),
  ]) {
    const piece = playEnsemble(score)
    yield { style: `ensemble: ${score.style}`, bpm: tempoPlayed(piece), samples: piece.samples }
  }
  for (const style of tuneStyles)
    for (const beatsPerBar of [3, 4] as const)
      for (const bpm of [60, 72, 80, 90, 96, 108, 120, 144, 160, 168, 174])
        yield { style: `tune: ${style}`, bpm, samples: playTune({ bpm, beatsPerBar, style, seconds: 16, seed: 5 }) }
}

/** The questions of a piece to which the answer is known: its first tempo is right, half or twice as fast. */
const examplesOf = ({ style, bpm, samples }: Known): Example[] => {
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

const examples = Array.from(pieces(), examplesOf).flat()
console.log(`${examples.length} examples; with the styles of each fold left out:`)
crossValidate(examples)
console.log(
  JSON.stringify(fitLogistic(examples, penalty), (_, value) =>
    typeof value === 'number' ? Number(value.toFixed(4)) : value,
  ),
)
