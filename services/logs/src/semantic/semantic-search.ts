import { setTimeout as sleep } from 'node:timers/promises'
import { ModelUnusable } from '../models/model-files.ts'
import { isEmptyQuery } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { decodeHybridCursor, encodeHybridCursor } from './hybrid-cursor.ts'
import { hybridSearch } from './hybrid-search.ts'
import { loosenQuery, sentenceOf } from './loosen-query.ts'
import type { TextVectors } from './text-vectors.ts'

export type SemanticSearchOptions = {
  engine: Pick<LogEngine, 'search' | 'countWords' | 'templates' | 'find'>
  /** Absent if no embedding model is configured. */
  vectors: Pick<TextVectors, 'of' | 'known'> | undefined
  /** How long a search waits for the model. Computation continues afterwards, so that the next search is faster. */
  waitMilliseconds: number
  onProblem: (error: unknown) => void
}

export type SemanticRequest = {
  q: string
  /** The request of a search by words; the cursor provides `after`. */
  words: Omit<SearchRequest, 'after'>
  cursor: string | undefined
}

/** A page ranked by words and meaning, or the request for a search by words instead. */
export type SemanticAnswer =
  | { kind: 'hybrid'; result: Omit<SearchResult, 'next'>; nextCursor: string | null }
  | { kind: 'fallback'; reason: string; request?: SearchRequest }

const reasons = {
  noModel: 'This server has no embedding model (SERVICE_EMBEDDING_MODEL); results are ranked by words.',
  noWords: 'There are no words in q whose meaning could be compared.',
  byTime: 'Results in the order of time are not ranked.',
  begunByWords: 'The cursor belongs to a page that was ranked by words, and so is this page.',
  slow: 'The embedding model is still loading or currently too slow; results are ranked by words.',
  failing: 'The embedding model currently fails; results are ranked by words.',
}

export const slow = Symbol('slow')

/** Resolves with `slow` after the time limit; the work continues. */
export const within = async <Value>(milliseconds: number, work: Promise<Value>): Promise<Value | typeof slow> => {
  const stop = new AbortController()
  try {
    return await Promise.race([work, sleep(milliseconds, slow, { signal: stop.signal, ref: false })])
  } finally {
    stop.abort()
    work.catch(() => undefined)
  }
}

/** Searches by words and meaning where possible, and otherwise states the reason. */
export const createSemanticSearch =
  ({ engine, vectors, waitMilliseconds, onProblem }: SemanticSearchOptions) =>
  async ({ q, words, cursor }: SemanticRequest, signal?: AbortSignal): Promise<SemanticAnswer> => {
    const fallback = (reason: string, request?: SearchRequest): SemanticAnswer => ({
      kind: 'fallback',
      reason,
      ...(request && { request }),
    })
    const sentence = sentenceOf(q)
    if (words.query === null || isEmptyQuery(words.query) || sentence === '') return fallback(reasons.noWords)
    if (words.order !== 'relevance') return fallback(reasons.byTime)
    const after = cursor === undefined ? undefined : decodeHybridCursor(cursor)
    if (cursor !== undefined && !after) return fallback(reasons.begunByWords)
    const loose = { ...words, query: loosenQuery(words.query) }
    // A search that began by meaning continues with its block by words: some entries are repeated, none is omitted.
    const continuation = after && { ...loose, statistics: after.statistics, ...(after.start && { after: after.start }) }
    if (!vectors) return fallback(reasons.noModel, continuation)
    try {
      // Each wait for the model has its own limit; the search itself ends when its client disconnects.
      const ready = await within(waitMilliseconds, vectors.of([sentence]))
      if (ready === slow) return fallback(reasons.slow, continuation)
      const found = await within(
        waitMilliseconds,
        hybridSearch({ words: loose, sentence, after }, { engine, vectors, signal }),
      )
      if (found === slow) return fallback(reasons.slow, continuation)
      const { next, ...result } = found
      return { kind: 'hybrid', result, nextCursor: next && encodeHybridCursor(next) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ModelUnusable) return fallback(`${reasons.failing} ${error.message}`, continuation)
      onProblem(error)
      return fallback(reasons.failing, continuation)
    }
  }

export type SemanticSearch = ReturnType<typeof createSemanticSearch>
