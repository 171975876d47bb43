import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import { anyOf } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { namedSources } from './named-sources.ts'

export type Layer = 'keywords' | 'source' | 'window' | 'context'
export type LayerEntries = { layer: Layer; entries: StoredEntry[] }

/** What the layers found. Layers share no entry: one is shown in the first that found it. */
export type Looked = {
  byKeyword: SearchResult
  /** Errors of the window. */
  byWindow: SearchResult
  named: string[]
  sources: SourceCount[]
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
const mostWordsOfOne = 12

export type LookStatus = { stage: string; detail: string }

/**
 * Looks in layers: entries with the keywords, best first; the latest errors of each named source, whatever their words; the latest errors of
 * the window; and, of sources that failed, what came just before their first failure. Says what it does, and returns what it found.
 */
export async function* look(input: LookInput): AsyncGenerator<LookStatus, Looked> {
  const { engine, symptom, keywords, filters, signal } = input
  const failures: Filters = { ...filters, severities: ['CRITICAL', 'ERROR'] }
  const search = (request: Omit<SearchRequest, 'withFacets'> & { withFacets?: boolean }) =>
    engine.search({ withFacets: false, ...request }, signal)
  yield {
    stage: 'search',
    detail: keywords.length > 0 ? `Searching for ${keywords.join(', ')}.` : 'Looking for errors.',
  }
  const byKeyword = await search({
    query: keywords.length > 0 ? anyOf(keywords.slice(0, mostWordsOfOne)) : null,
    filters: keywords.length > 0 ? filters : failures,
    limit: limits.keywords,
    order: 'relevance',
    withFacets: true,
  })
  signal.throwIfAborted()
  const sources = await engine.sources(filters.source === undefined ? {} : { source: filters.source }, signal)
  const named = namedSources(
    symptom,
    sources.map(({ sourceId }) => sourceId),
  ).slice(0, mostNamed)
  if (named.length > 0) yield { stage: 'sources', detail: `Reading the latest errors of ${named.join(', ')}.` }
  const bySource = await Promise.all(
    named.map((source) =>
      search({ query: null, filters: { ...failures, source }, limit: limits.source, order: 'time' }),
    ),
  )
  yield { stage: 'window', detail: `Reading errors ${input.window}.` }
  const byWindow = await search({
    query: null,
    filters: failures,
    limit: limits.window,
    order: 'time',
    withFacets: true,
  })
  signal.throwIfAborted()
  const found: [Layer, StoredEntry[]][] = [
    ['keywords', byKeyword.entries.map(({ entry }) => entry)],
    ['source', bySource.flatMap((result) => result.entries.map(({ entry }) => entry))],
    ['window', byWindow.entries.map(({ entry }) => entry)],
  ]
  const first = firstFailure(found.flatMap(([, entries]) => entries))
  if (first) {
    yield { stage: 'before', detail: `Reading what ${first.origin.sourceId} said before its first failure.` }
    found.push(['context', await entriesBefore(first, filters, search)])
  }
  return { byKeyword, byWindow, named, sources, layers: distinct(found) }
}

const firstFailure = (entries: readonly StoredEntry[]): StoredEntry | undefined =>
  entries
    .filter(({ severity, time }) => time !== null && (severity === 'CRITICAL' || severity === 'ERROR'))
    .toSorted((a, b) => a.effectiveTime - b.effectiveTime || a.sequence - b.sequence)[0]

/** What a source said just before an entry of it: how it came to that. */
const entriesBefore = async (
  { origin, effectiveTime }: StoredEntry,
  { tenant, branch }: Filters,
  search: (request: Omit<SearchRequest, 'withFacets'>) => Promise<SearchResult>,
): Promise<StoredEntry[]> => {
  const filters: Filters = {
    source: origin.sourceId,
    until: effectiveTime,
    ...(tenant !== undefined && { tenant }),
    ...(branch !== undefined && { branch }),
  }
  const { entries } = await search({ query: null, filters, limit: limits.before, order: 'time' })
  return entries.map(({ entry }) => entry)
}

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
