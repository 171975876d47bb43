import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import { anyOf } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { suggestSources } from '../sources/suggest.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { namedSources } from './named-sources.ts'
import { withLoggedWords } from './symptom-words.ts'
import { findTrouble, type Trouble } from './trouble.ts'

export type Layer = 'keywords' | 'source' | 'window' | 'context'
export type LayerEntries = { layer: Layer; entries: StoredEntry[] }

/** What the layers found. Layers share no entry: one is shown in the first that found it. */
export type Looked = {
  byKeyword: SearchResult
  /** Errors of the window. */
  byWindow: SearchResult
  /** Sources that the question names; where it names none, those that it is likely about. */
  named: string[]
  sources: SourceCount[]
  /** The errors that the question is most nearly about. */
  trouble: Trouble
  layers: LayerEntries[]
}

export type LookInput = {
  engine: Pick<LogEngine, 'search' | 'sources'>
  /** The question without its time. */
  symptom: string
  keywords: readonly string[]
  filters: Filters
  /** The window in words. */
  window: string
  signal: AbortSignal
}

const limits = { keywords: 50, source: 30, window: 50, before: 5 }
const mostNamed = 5
/** A source that is not named but does what the question is about, by the score of a suggestion. */
const leastSuggested = 0.45
const mostSuggested = 2
const mostWords = 24

export type LookStatus = { stage: string; detail: string }

/** Sources that a symptom names; where it names none, those that do what it speaks of. */
const sourcesOf = (symptom: string, sources: readonly SourceCount[]): { named: string[]; isSaid: boolean } => {
  const named = namedSources(
    symptom,
    sources.map(({ sourceId }) => sourceId),
  ).slice(0, mostNamed)
  if (named.length > 0) return { named, isSaid: true }
  const suggested = suggestSources({ text: symptom, sources, hits: new Map() })
    .filter(({ score }) => score >= leastSuggested)
    .slice(0, mostSuggested)
  return { named: suggested.map(({ sourceId }) => sourceId), isSaid: false }
}

/**
 * Looks in layers: entries with the keywords, best first; the latest errors of each named source, whatever their words; the latest errors of
 * the window; and what the source that failed first said just before. Says what it does, and returns what it found.
 */
export async function* look(input: LookInput): AsyncGenerator<LookStatus, Looked> {
  const { engine, symptom, keywords, filters, signal } = input
  const failures: Filters = { ...filters, severities: ['CRITICAL', 'ERROR'] }
  const search = (request: SearchRequest) => engine.search(request, signal)
  const latest = (wanted: Filters, limit: number) =>
    search({ query: null, filters: wanted, limit, order: 'time', withFacets: true })
  const words = withLoggedWords(keywords).slice(0, mostWords)
  const query = words.length > 0 ? anyOf(words) : null
  yield { stage: 'search', detail: query ? `Searching for ${keywords.join(', ')}.` : 'Looking for errors.' }
  const byKeyword = await search({
    query,
    filters: query ? filters : failures,
    limit: limits.keywords,
    order: 'relevance',
    withFacets: true,
  })
  signal.throwIfAborted()
  const sources = await engine.sources(filters.source === undefined ? {} : { source: filters.source }, signal)
  const { named, isSaid } = sourcesOf(symptom, sources)
  if (named.length > 0)
    yield {
      stage: 'sources',
      detail: `Reading the latest errors of ${named.join(', ')}${isSaid ? '' : ', which this may be about'}.`,
    }
  const bySource = await Promise.all(named.map((source) => latest({ ...failures, source }, limits.source)))
  yield { stage: 'window', detail: `Reading errors ${input.window}.` }
  const byWindow = await latest(failures, limits.window)
  signal.throwIfAborted()
  const trouble = await findTrouble(search, [
    ...named.map((source, index) => ({ query: null, filters: { ...failures, source }, known: bySource[index] })),
    { query, filters: failures },
    { query: null, filters: failures, known: byWindow },
  ])
  const found: [Layer, StoredEntry[]][] = [
    ['keywords', byKeyword.entries.map(({ entry }) => entry)],
    ['source', bySource.flatMap((result) => result.entries.map(({ entry }) => entry))],
    ['window', byWindow.entries.map(({ entry }) => entry)],
  ]
  if (trouble.first) {
    yield { stage: 'before', detail: `Reading what ${trouble.first.origin.sourceId} said before its first failure.` }
    const before = await latest(beforeEntry(trouble.first, filters), limits.before)
    found.push(['context', [trouble.first, ...before.entries.map(({ entry }) => entry)]])
  }
  return { byKeyword, byWindow, named: isSaid ? named : [], sources, trouble, layers: distinct(found) }
}

/** What a source said just before an entry of it: how it came to that. */
const beforeEntry = ({ origin, effectiveTime }: StoredEntry, { tenant, branch }: Filters): Filters => ({
  source: origin.sourceId,
  until: effectiveTime,
  ...(tenant !== undefined && { tenant }),
  ...(branch !== undefined && { branch }),
})

const distinct = (found: readonly (readonly [Layer, StoredEntry[]])[]): LayerEntries[] => {
  const seen = new Set<string>()
  return found
    .map(([layer, entries]) => ({
      layer,
      entries: entries.filter(({ entryId }) => {
        const isNew = !seen.has(entryId)
        seen.add(entryId)
        return isNew
      }),
    }))
    .filter(({ entries }) => entries.length > 0)
}
