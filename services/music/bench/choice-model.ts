import { fitLogistic } from './logistic-regression.ts'

/** A question with several answers, each with its features, of which one or more are right. */
export type Choice = {
  /** Questions of a style are left out together when a model is judged. */
  readonly style: string
  readonly answers: readonly { readonly features: readonly number[]; readonly isRight: boolean }[]
}

const penalty = 20
const folds = 15

/** Weights of the features by which the right answers differ from the wrong ones: a logistic model of pairs. */
export const fitChoices = (choices: readonly Choice[]): readonly number[] => {
  const pairs = choices.flatMap(({ answers }) => {
    const right = answers.find(({ isRight }) => isRight)
    return answers.flatMap(({ features, isRight }) => {
      if (isRight || !right) return []
      const differences = right.features.map((value, i) => value - (features[i] ?? 0))
      // Both ways, so that there is no bias.
      return [
        { features: differences, isTrue: true },
        { features: differences.map((value) => -value), isTrue: false },
      ]
    })
  })
  return fitLogistic(pairs, penalty).weights
}

/** The answer of a model. */
export const choose = <Answer extends Choice['answers'][number]>(
  answers: readonly Answer[],
  weights: readonly number[],
): Answer =>
  answers
    .map((answer) => ({
      answer,
      odds: answer.features.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0),
    }))
    .reduce((best, other) => (other.odds > best.odds ? other : best)).answer

/** Whether models without the style of each question answer it rightly. */
export const crossValidate = <Question extends Choice>(
  choices: readonly Question[],
): { choice: Question; isRight: boolean }[] => {
  const styles = [...new Set(choices.map(({ style }) => style))]
  return Array.from({ length: folds }, (_, fold) => {
    const left = new Set(styles.filter((_, i) => i % folds === fold))
    const weights = fitChoices(choices.filter(({ style }) => !left.has(style)))
    return choices
      .filter(({ style }) => left.has(style))
      .map((choice) => ({ choice, isRight: choose(choice.answers, weights).isRight }))
  }).flat()
}
