import { slow, within } from '../semantic/semantic-search.ts'
import { cosineOf, type TextVectors } from '../semantic/text-vectors.ts'
import type { KnownChunk, Similarity } from './knowledge.ts'

export type SimilarityOptions = {
  vectors: Pick<TextVectors, 'of'>
  /** How long a question waits for the model; what it has begun goes on, so that the next one is quicker. */
  waitMilliseconds: number
  onProblem: (error: unknown) => void
}

/** What a model is shown of a chunk: a sentence out of a runbook says little without its title. */
const textOf = ({ title, text }: KnownChunk): string => `${title}\n${text}`

/** Nearness by the model for meanings, whose vectors are kept by text; undefined while it is slow or fails. */
export const createSimilarity =
  ({ vectors, waitMilliseconds, onProblem }: SimilarityOptions): Similarity =>
  async (question, chunks) => {
    if (chunks.length === 0) return []
    try {
      const made = await within(waitMilliseconds, vectors.of([question, ...chunks.map(textOf)]))
      if (made === slow) return undefined
      const [asked, ...rest] = made
      return rest.map((vector) => (asked ? Math.max(0, cosineOf(asked, vector)) : 0))
    } catch (error) {
      onProblem(error)
      return undefined
    }
  }
