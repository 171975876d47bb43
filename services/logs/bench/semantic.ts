import { sharedData } from '@trellis/test/support/shared-data'
import { findMiniLm } from '../src/models/mini-lm-for-tests.ts'
import { judgedSymptoms } from './judged.ts'
import { measureSemantic } from './measure-semantic.ts'

/** Whether a search by meaning finds more. */
export const describeSemantic = async (): Promise<string[]> => {
  const samples = sharedData('logs', 'loghub')
  if (samples === undefined) return ['meaning: not measured, the shared samples are not beside the checkout']
  const model = await findMiniLm()
  if ('missing' in model) return [`meaning: not measured, ${model.missing}`]
  const figures = await measureSemantic(samples, model.folder)
  return [
    `${judgedSymptoms.length} symptoms in other words than those of the Loghub samples, the first ten entries of each:`,
    ...figures.map(
      ({ way, ndcg, answered, medianMilliseconds }) =>
        `  ${way.padEnd(28)} nDCG ${ndcg.toFixed(3)}, ${answered} of ${judgedSymptoms.length} answered, median ${medianMilliseconds} ms`,
    ),
  ]
}
