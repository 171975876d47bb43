import { sharedData } from '@trellis/test/support/shared-data'
import { findMiniLm } from '../src/models/mini-lm-for-tests.ts'
import { judgedSymptoms } from './judged.ts'
import { measureSemantic } from './measure-semantic.ts'

/** Compares semantic search with search by words. */
export const describeSemantic = async (): Promise<string[]> => {
  const samples = sharedData('logs', 'loghub')
  if (samples === undefined) return ['meaning: not measured, the shared samples are missing']
  const model = await findMiniLm()
  if ('missing' in model) return [`meaning: not measured, ${model.missing}`]
  const figures = await measureSemantic(samples, model.folder)
  return [
    `${judgedSymptoms.length} symptoms worded differently from the Loghub samples, the first ten entries of each:`,
    ...figures.map(
      ({ way, ndcg, answered, medianMilliseconds }) =>
        `  ${way.padEnd(28)} nDCG ${ndcg.toFixed(3)}, ${answered} of ${judgedSymptoms.length} answered, median ${medianMilliseconds} ms`,
    ),
  ]
}
