import type { StoredEntry } from '../entries/entry.ts'
import { describeEntry } from '../formats/describe-entry.ts'
import type { Position } from '../search/hits.ts'
import type { Query } from '../search/query.ts'
import type { FoundEntry, SearchRequest, SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { fullScoreOf } from './full-score.ts'
import type { HybridPosition } from './hybrid-cursor.ts'
import { comparePositions, hybridScore, poolSize, positionOfFound } from './hybrid-rank.ts'
import { hasWords, nearestEntries } from './nearest-templates.ts'
import { cosineOf, type TextVector, type TextVectors } from './text-vectors.ts'
import { withoutValues } from './without-values.ts'

export type HybridRequest = {
  /** The required words of candidates; see `loosenQuery`. `after` and `order` are set by the search. */
  words: Omit<SearchRequest, 'after' | 'order' | 'statistics'> & { query: Query }
  /** The question as text for a model. */
  sentence: string
  after: HybridPosition | undefined
}

export type HybridResult = Omit<SearchResult, 'next'> & { next: HybridPosition | null }

type Options = {
  engine: Pick<LogEngine, 'search' | 'countWords' | 'templates' | 'find'>
  vectors: Pick<TextVectors, 'of' | 'known'>
  signal?: AbortSignal | undefined
}

/** The message of an entry as models read it. */
export const meaningOf = (entry: StoredEntry): string =>
  withoutValues(describeEntry(entry.origin.format, entry.text).message)

const vectorsOfEntries = async (vectors: Options['vectors'], entries: readonly FoundEntry[]) => {
  const texts = entries.map(({ entry }) => meaningOf(entry))
  const distinct = [...new Set(texts)]
  const computed = await vectors.of(distinct)
  const byText = new Map(distinct.map((text, index) => [text, computed[index]]))
  return texts.map((text) => byText.get(text))
}

/** The candidates of one block with their scores by words and meaning, best first. */
const orderBlock = async (
  vectors: Options['vectors'],
  candidates: readonly FoundEntry[],
  question: TextVector | undefined,
  best: number,
): Promise<FoundEntry[]> => {
  const meanings = await vectorsOfEntries(vectors, candidates)
  return candidates
    .map((found, index) => {
      const meaning = meanings[index]
      const cosine = question && meaning ? cosineOf(question, meaning) : 0
      return { ...found, score: hybridScore(found.score, best, cosine) }
    })
    .toSorted((left, right) => comparePositions(positionOfFound(left), positionOfFound(right)))
}

/** A block may have grown since it was first read: read up to twice its size. */
const growth = 2

/** Entries found by meaning: searched for the first page, and looked up for later pages. */
const nearOf = async (
  { words, after }: HybridRequest,
  question: TextVector | undefined,
  options: Options,
): Promise<FoundEntry[]> => {
  if (!question) return []
  if (!after) return nearestEntries(question, words, options)
  if (after.start !== null) return []
  const entries = await Promise.all(after.near.map((entryId) => options.engine.find(entryId, options.signal)))
  return entries.filter((entry) => entry !== undefined).map((entry) => ({ entry, score: 0 }))
}

const firstPosition = async ({ words }: HybridRequest, { engine, signal }: Options): Promise<HybridPosition> => ({
  best: 0,
  statistics: await engine.countWords(words.query, signal),
  start: null,
  end: null,
  last: null,
  near: [],
  onlyByMeaning: 0,
})

/**
 * Returns one page of entries with words or the meaning of a question. Throws the errors of the model and the engine. All pages together
 * contain every candidate once.
 */
export const hybridSearch = async (request: HybridRequest, options: Options): Promise<HybridResult> => {
  const { words, sentence, after } = request
  const { engine, vectors, signal } = options
  const size = poolSize(words.limit)
  const [question] = await vectors.of([sentence])
  const near = await nearOf(request, question, options)
  let position: HybridPosition = after ?? (await firstPosition(request, options))
  const { statistics } = position
  const onlyByMeaning = after?.onlyByMeaning ?? near.filter((found) => !hasWords(words.query, found)).length
  let first: SearchResult | undefined
  const shown: FoundEntry[] = []
  for (;;) {
    const block = await engine.search(
      {
        ...words,
        statistics,
        order: 'relevance',
        limit: position.end ? size * growth : size,
        withFacets: words.withFacets && first === undefined,
        ...(position.start && { after: position.start }),
      },
      signal,
    )
    first ??= block
    const { end, start } = position
    const byWords = end
      ? block.entries.filter((found) => comparePositions(positionOfFound(found), end) <= 0)
      : block.entries
    const last = byWords.at(-1)
    const best = position.best || fullScoreOf(byWords[0], words.query, statistics)
    const wordIds = new Set(byWords.map(({ entry }) => entry.entryId))
    const added = start === null ? near.filter(({ entry }) => !wordIds.has(entry.entryId)) : []
    // A later block contains by its words what the first one contained by its meaning: it was already returned.
    const isNear = new Set(start === null ? added.map(({ entry }) => entry.entryId) : position.near)
    const own = start === null ? byWords : byWords.filter(({ entry }) => !isNear.has(entry.entryId))
    const ordered = await orderBlock(vectors, [...own, ...added], question, best)
    const rest = ordered.filter(
      (found) => position.last === null || comparePositions(positionOfFound(found), position.last) > 0,
    )
    const taken = rest.slice(0, words.limit - shown.length)
    shown.push(...taken)
    const blockEnd: Position | null = end ?? (last ? positionOfFound(last) : null)
    const common = { best, statistics, near: [...isNear], onlyByMeaning }
    const hasMore = block.next !== null || byWords.length < block.entries.length
    const nextBlock: HybridPosition | null =
      hasMore && blockEnd ? { ...common, start: blockEnd, end: null, last: null } : null
    const lastTaken = taken.at(-1)
    const within =
      rest.length > taken.length && lastTaken
        ? { ...common, start, end: blockEnd, last: positionOfFound(lastTaken) }
        : null
    const next = within ?? nextBlock
    if (shown.length >= words.limit || next === null) {
      const total = first.total + onlyByMeaning
      return { ...first, entries: shown, total, next }
    }
    position = next
  }
}
