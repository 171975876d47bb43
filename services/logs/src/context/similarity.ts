import { slow, within } from '../semantic/semantic-search.ts'
import { cosineOf, type TextVectors } from '../semantic/text-vectors.ts'
import type { KnownChunk, Similarity } from './knowledge.ts'

export type SimilarityOptions = {
  vectors: Pick<TextVectors, 'of'>
  /** How long a search waits for the model. Computation continues afterwards, so that the next search finds the vectors. */
  waitMilliseconds: number
  onProblem: (error: unknown) => void
}

/** The model input for a chunk: a sentence of a runbook means little without its title. */
const textOf = ({ title, text }: KnownChunk): string => `${title}\n${text}`

/** Similarity by an embedding model whose vectors are cached by text; undefined while it is slow or fails. */
export const createSimilarity =
  ({ vectors, waitMilliseconds, onProblem }: SimilarityOptions): Similarity =>
  async (question, chunks) => {
    if (chunks.length === 0) return []
    try {
      const vectorsOrSlow = await within(waitMilliseconds, vectors.of([question, ...chunks.map(textOf)]))
      if (vectorsOrSlow === slow) return undefined
      const [ofQuestion, ...rest] = vectorsOrSlow
      return rest.map((vector) => (ofQuestion ? Math.max(0, cosineOf(ofQuestion, vector)) : 0))
    } catch (error) {
      onProblem(error)
      return undefined
    }
  }
