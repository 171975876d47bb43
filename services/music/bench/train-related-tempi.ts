import { activationsOf } from '../src/analysis/activations.ts'
import { firstSound, listen } from '../src/analysis/analyse.ts'
import { featuresOfPaths, pathsAtRelatedTempi } from '../src/analysis/related-tempi.ts'
import { decodeSixEight } from '../src/analysis/six-eight.ts'
import { decodeTempoLevel, pathTempo } from '../src/analysis/tempo-level.ts'
import { type Choice, crossValidate, fitChoices } from './choice-model.ts'
import { type TrainingPiece, trainingPieces } from './training-pieces.ts'

/** Tempi are alike within this share, since those of rubato are means. */
const tolerance = 0.06

/** Which of the paths through a piece is at its tempo? */
const choiceOf = ({ generator, style, bpm, samples }: TrainingPiece) => {
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const first = decodeTempoLevel(activations, start)
  const found = first && (decodeSixEight(first, activations, start) ?? first)
  const paths = found ? pathsAtRelatedTempi(found, activations, start) : []
  const features = featuresOfPaths(paths, activations, chroma)
  const answers = paths.map((path, i) => ({
    features: features[i] ?? [],
    isRight: Math.abs(pathTempo(path) / bpm - 1) < tolerance,
  }))
  return { generator, style, answers }
}

type Question = Choice & { readonly generator: string }

const report = (name: string, questions: readonly Question[], right: readonly Question[]): void => {
  const first = questions.filter(({ answers }) => answers[0]?.isRight)
  const possible = questions.filter(({ answers }) => answers.some(({ isRight }) => isRight))
  console.log(
    `${name}: ${questions.length} pieces; first ${first.length} right, with related tempi ${right.length} (with the styles of each fold left out), at most ${possible.length}`,
  )
}

const questions: Question[] = Array.from(trainingPieces(), choiceOf).filter(({ answers }) => answers.length > 0)
const right = crossValidate(questions).flatMap(({ choice, isRight }) => (isRight ? [choice] : []))
for (const name of new Set(questions.map(({ generator }) => generator))) {
  const ofGenerator = ({ generator }: Question) => generator === name
  report(name, questions.filter(ofGenerator), right.filter(ofGenerator))
}
console.log(JSON.stringify(fitChoices(questions).map((weight) => Number(weight.toFixed(4)))))
