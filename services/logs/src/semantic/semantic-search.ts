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
  /** Absent where no model for meanings is configured. */
  vectors: Pick<TextVectors, 'of' | 'known'> | undefined
  /** How long a search waits for the model; what it has begun goes on, so that the next one is quicker. */
  waitMilliseconds: number
  onProblem: (error: unknown) => void
}

export type SemanticRequest = {
  q: string
  /** As a search by words would ask it; `after` is left to the cursor. */
  words: Omit<SearchRequest, 'after'>
  cursor: string | undefined
}

/** A page by words and meaning, or what a search by words is to do in its place. */
export type SemanticAnswer =
  | { kind: 'hybrid'; result: Omit<SearchResult, 'next'>; nextCursor: string | null }
  | { kind: 'fallback'; reason: string; request?: SearchRequest }

const reasons = {
  noModel: 'There is no model for meanings on this server (SERVICE_EMBEDDING_MODEL); results are ranked by words.',
  noWords: 'There are no words in q whose meaning could be compared.',
  byTime: 'Results in the order of time are not ranked.',
  begunByWords: 'The cursor is that of a page that was ranked by words, and so is this one.',
  slow: 'The model for meanings is still loading or too slow just now; results are ranked by words.',
  failing: 'The model for meanings fails just now; results are ranked by words.',
}

export const slow = Symbol('slow')

/** Gives `slow` when it takes too long; what was begun goes on. */
export const within = async <Value>(milliseconds: number, work: Promise<Value>): Promise<Value | typeof slow> => {
  const stop = new AbortController()
  try {
    return await Promise.race([work, sleep(milliseconds, slow, { signal: stop.signal, ref: false })])
  } finally {
    stop.abort()
    work.catch(() => undefined)
  }
}

/** Searches by words and meaning where that can be done, and says why where it cannot. */
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
    // A page that had begun by meaning goes on with its block by words: some are shown again, none is left out.
    const goesOn = after && { ...loose, statistics: after.statistics, ...(after.start && { after: after.start }) }
    if (!vectors) return fallback(reasons.noModel, goesOn)
    try {
      // The model alone is waited for with a limit; the search itself ends when its client leaves.
      const ready = await within(waitMilliseconds, vectors.of([sentence]))
      if (ready === slow) return fallback(reasons.slow, goesOn)
      const found = await within(
        waitMilliseconds,
        hybridSearch({ words: loose, sentence, after }, { engine, vectors, signal }),
      )
      if (found === slow) return fallback(reasons.slow, goesOn)
      const { next, ...result } = found
      return { kind: 'hybrid', result, nextCursor: next && encodeHybridCursor(next) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ModelUnusable) return fallback(`${reasons.failing} ${error.message}`, goesOn)
      onProblem(error)
      return fallback(reasons.failing, goesOn)
    }
  }

export type SemanticSearch = ReturnType<typeof createSemanticSearch>
