import type { StoredEntry } from '../entries/entry.ts'
import { describeEntry } from '../formats/detect.ts'
import type { Place } from '../search/hits.ts'
import type { Query } from '../search/query.ts'
import type { FoundEntry, SearchRequest, SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { HybridPlace } from './hybrid-cursor.ts'
import { comparePlaces, hybridScore, placeOfFound, poolSize } from './hybrid-rank.ts'
import { maskText } from './mask-text.ts'
import { cosineOf, type TextVector, type TextVectors } from './text-vectors.ts'

export type HybridRequest = {
  /** What candidates have to have; see `loosenQuery`. Its `after` and `order` are not asked for. */
  words: Omit<SearchRequest, 'after' | 'order' | 'statistics'> & { query: Query }
  /** What is asked, in words for a model. */
  sentence: string
  after: HybridPlace | undefined
}

export type HybridResult = Omit<SearchResult, 'next'> & { next: HybridPlace | null }

type Options = {
  engine: Pick<LogEngine, 'search' | 'countWords'>
  vectors: Pick<TextVectors, 'of'>
  signal?: AbortSignal | undefined
}

/** What an entry says, as models are shown it. */
export const meaningOf = (entry: StoredEntry): string =>
  maskText(describeEntry(entry.origin.format, entry.text).message)

const vectorsOfEntries = async (vectors: Options['vectors'], entries: readonly FoundEntry[]) => {
  const texts = entries.map(({ entry }) => meaningOf(entry))
  const distinct = [...new Set(texts)]
  const made = await vectors.of(distinct)
  const byText = new Map(distinct.map((text, index) => [text, made[index]]))
  return texts.map((text) => byText.get(text))
}

/** Candidates of one block, those that belong to it alone, with their scores by words and meaning, best first. */
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
    .toSorted((left, right) => comparePlaces(placeOfFound(left), placeOfFound(right)))
}

/** A block that was begun may have grown since: as much again is looked at. */
const growth = 2

/**
 * One page of what has the words of a question or means the same. Throws what a model or an engine throws.
 * All pages together are every candidate once.
 */
export const hybridSearch = async (
  { words, sentence, after }: HybridRequest,
  { engine, vectors, signal }: Options,
): Promise<HybridResult> => {
  const size = poolSize(words.limit)
  const [question] = await vectors.of([sentence])
  let place: HybridPlace = after ?? {
    best: 0,
    statistics: await engine.countWords(words.query, signal),
    start: null,
    end: null,
    last: null,
  }
  const { statistics } = place
  let first: SearchResult | undefined
  const shown: FoundEntry[] = []
  for (;;) {
    const block = await engine.search(
      {
        ...words,
        statistics,
        order: 'relevance',
        limit: place.end ? size * growth : size,
        withFacets: words.withFacets && first === undefined,
        ...(place.start && { after: place.start }),
      },
      signal,
    )
    first ??= block
    const { end } = place
    const candidates = end
      ? block.entries.filter((found) => comparePlaces(placeOfFound(found), end) <= 0)
      : block.entries
    const last = candidates.at(-1)
    const best = place.best || (candidates[0]?.score ?? 0)
    const ordered = await orderBlock(vectors, candidates, question, best)
    const rest = ordered.filter((found) => place.last === null || comparePlaces(placeOfFound(found), place.last) > 0)
    const taken = rest.slice(0, words.limit - shown.length)
    shown.push(...taken)
    const blockEnd: Place | null = end ?? (last ? placeOfFound(last) : null)
    const hasMore = block.next !== null || candidates.length < block.entries.length
    const behind: HybridPlace | null =
      hasMore && blockEnd ? { best, statistics, start: blockEnd, end: null, last: null } : null
    const lastTaken = taken.at(-1)
    const within =
      rest.length > taken.length && lastTaken
        ? { best, statistics, start: place.start, end: blockEnd, last: placeOfFound(lastTaken) }
        : null
    const next = within ?? behind
    if (shown.length >= words.limit || next === null) return { ...first, entries: shown, next }
    place = next
  }
}
