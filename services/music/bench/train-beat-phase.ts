import { activationsOf } from '../src/analysis/activations.ts'
import { firstSound, listen } from '../src/analysis/analyse.ts'
import { beatPhaseFeatures, pathsBetweenBeats } from '../src/analysis/beat-phase.ts'
import { decodeTempo } from '../src/analysis/pulse.ts'
import { frameRate } from '../src/analysis/spectral-frames.ts'
import { beatFMeasure } from '../test/beat-metrics.ts'
import { type Choice, crossValidate, fitChoices } from './choice-model.ts'
import { type TrainingPiece, trainingPieces } from './training-pieces.ts'

/** Are the beats of a path those of the piece, or between them? Asked where one of both is right. */
const choicesOf = ({ style, samples, bars }: TrainingPiece): Choice[] => {
  if (!bars) return []
  const { flux, spectral, chroma } = listen(samples)
  const activations = activationsOf(flux, spectral, chroma)
  const found = decodeTempo({ activations, chroma, firstSound: firstSound(activations) })
  if (!found) return []
  const answers = pathsBetweenBeats(found).map((path) => ({
    features: beatPhaseFeatures(activations, chroma, path),
    isRight:
      beatFMeasure(
        bars.beats,
        path.beats.map(({ frame }) => frame / frameRate),
      ) > 0.8,
  }))
  return answers.length > 1 && answers.some(({ isRight }) => isRight) ? [{ style, answers }] : []
}

const choices = Array.from(trainingPieces(), choicesOf).flat()
const right = crossValidate(choices).filter(({ isRight }) => isRight).length
const first = choices.filter(({ answers }) => answers[0]?.isRight).length
console.log(
  `${choices.length} pieces: first ${first} right, with a choice ${right} (with the styles of each fold left out)`,
)
console.log(JSON.stringify(fitChoices(choices).map((weight) => Number(weight.toFixed(3)))))
