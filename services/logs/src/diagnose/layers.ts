import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import { type NearResult, searchNear } from '../search/near-histogram.ts'
import { anyOf, type Query } from '../search/query.ts'
import type { SearchRequest } from '../search/search.ts'
import { suggestSources } from '../sources/suggest.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Preceding } from './links.ts'
import { namedSources } from './named-sources.ts'
import { type Nearness, nearnessOf } from './nearness.ts'
import { findPreceding } from './preceding.ts'
import { gradedFilters, type SourceScan, scanSource } from './source-scan.ts'
import { withLoggedWords } from './symptom-words.ts'
import { type FailureSearch, findTrouble, type Trouble } from './trouble.ts'
import { usualFailures } from './usual-templates.ts'

export type Layer = 'keywords' | 'source' | 'window' | 'context'
export type LayerEntries = { layer: Layer; entries: StoredEntry[] }

/** The results of the layers. Layers are disjoint: an entry belongs to the first layer that found it. */
export type LayerResults = {
  byKeyword: NearResult
  /** The number of entries with all of the keywords. */
  withAll: number
  /** Errors of the window. */
  byWindow: NearResult
  /** Sources that the question names explicitly. */
  named: string[]
  /** Scans of the named sources that have entries; if there are any, the question is about these sources. */
  scans: SourceScan[]
  sources: SourceCount[]
  /** How near the entries with keywords are to the question. */
  nearness: Nearness
  /** Sources that the question may be about; only set if it names none. */
  suggested: string[]
  /** The errors that are nearest to the question. */
  trouble: Trouble
  /** Failures and changes in any source just before the trouble. */
  preceding: Preceding[]
  /** Templates of failures that occur anyway, see `usualFailures`. */
  usual: ReadonlySet<string>
  layers: LayerEntries[]
}

export type LayersInput = {
  engine: Pick<LogEngine, 'search' | 'sources' | 'templates'>
  /** The question without its time phrase. */
  symptom: string
  keywords: readonly string[]
  filters: Filters
  /** The window in words. */
  window: string
  now: () => number
  signal: AbortSignal
}

const limits = { keywords: 50, source: 30, window: 50, before: 5 }
const maxNamed = 5
/** Minimum score at which a suggested source is scanned if the question names none. */
const minSuggested = 0.45
/** Maximum number of suggested sources that are scanned. */
const maxSuggested = 5
/** Maximum number that are used, of those with errors in the window: most programs of one role are unrelated to the symptom. */
const maxSuggestedUsed = 2
const maxWords = 24

export type LayerStatus = { stage: string; detail: string }

/** Sources that a symptom names; if it names none, sources suggested by its topic. */
const sourcesOf = (symptom: string, sources: readonly SourceCount[]): { named: string[]; isExplicit: boolean } => {
  const named = namedSources(
    symptom,
    sources.map(({ sourceId }) => sourceId),
  ).slice(0, maxNamed)
  if (named.length > 0) return { named, isExplicit: true }
  const suggested = suggestSources({ text: symptom, sources, hits: new Map() })
    .filter(({ score }) => score >= minSuggested)
    .slice(0, maxSuggested)
  return { named: suggested.map(({ sourceId }) => sourceId), isExplicit: false }
}

type Search = (request: SearchRequest) => Promise<NearResult>
type Matched = NearResult['entries'][number]

/** Entries with at least one of the words, those with all keywords first; errors if there are no words. */
const searchWords = async (
  search: Search,
  { keywords, words, filters }: { keywords: readonly string[]; words: readonly string[]; filters: Filters },
): Promise<{ byKeyword: NearResult; withAll: number }> => {
  const common = { filters, limit: limits.keywords, order: 'relevance' as const }
  if (words.length === 0) {
    const failures = gradedFilters(filters, 'error')
    return { byKeyword: await search({ ...common, query: null, filters: failures, withFacets: true }), withAll: 0 }
  }
  const byKeyword = await search({ ...common, query: anyOf(words), withFacets: true })
  if (keywords.length < 2 || byKeyword.total === 0) return { byKeyword, withAll: byKeyword.total }
  const all = await search({ ...common, query: allOf(keywords), withFacets: false })
  const first = new Set(all.entries.map(({ entry }) => entry.entryId))
  const others = byKeyword.entries.filter(({ entry }) => !first.has(entry.entryId))
  const entries = [...all.entries, ...others].slice(0, limits.keywords)
  return { byKeyword: { ...byKeyword, entries }, withAll: all.total }
}

/** Entries with one of the words in the sources that the question names: other sources may log these words far more often. */
const searchNamed = async (
  search: Search,
  { query, filters, named }: { query: Query | null; filters: Filters; named: readonly string[] },
): Promise<Matched[]> => {
  if (query === null) return []
  const common = { query, limit: limits.keywords, order: 'relevance' as const, withFacets: false }
  const found = await Promise.all(named.map((source) => search({ ...common, filters: { ...filters, source } })))
  return found.flatMap(({ entries }) => entries).toSorted((a, b) => b.score - a.score)
}

const withFirst = (first: readonly Matched[], { entries }: NearResult): Matched[] => {
  const ids = new Set(first.map(({ entry }) => entry.entryId))
  return [...first, ...entries.filter(({ entry }) => !ids.has(entry.entryId))].slice(0, limits.keywords)
}

const allOf = (words: readonly string[]): Query => ({
  clauses: words.flatMap((word) => anyOf([word]).clauses),
  excluded: [],
})

/**
 * Searches in layers: entries with the keywords, best first, and those of named sources before others; the latest errors of each named source, whatever their words, or its other entries;
 * the latest errors of the window; and the entries just before the first failure in its source. Yields its progress, and returns the results.
 */
export async function* searchLayers(input: LayersInput): AsyncGenerator<LayerStatus, LayerResults> {
  const { engine, symptom, keywords, filters, now, signal } = input
  const failures = gradedFilters(filters, 'error')
  const search = (request: SearchRequest) => searchNear(request, { engine, now, signal })
  const latest = (latestFilters: Filters, limit: number) =>
    search({ query: null, filters: latestFilters, limit, order: 'time', withFacets: true })
  const words = withLoggedWords(keywords).slice(0, maxWords)
  const query = words.length > 0 ? anyOf(words) : null
  yield { stage: 'search', detail: query ? `Searching for ${keywords.join(', ')}.` : 'Looking for errors.' }
  const { byKeyword, withAll } = await searchWords(search, { keywords, words, filters })
  signal.throwIfAborted()
  const sources = await engine.sources(filters.source === undefined ? {} : { source: filters.source }, signal)
  const { named, isExplicit } = sourcesOf(symptom, sources)
  if (named.length > 0)
    yield {
      stage: 'sources',
      detail: `Reading the latest errors of ${named.join(', ')}${isExplicit ? '' : ', which this may be about'}.`,
    }
  const scanned = await Promise.all(
    named.map((source) => scanSource((sourceFilters) => latest(sourceFilters, limits.source), filters, source)),
  )
  // A merely suggested source only counts if it has errors.
  const scans = scanned
    .flatMap((scan) => (scan && (isExplicit || scan.grade === 'error') ? scan : []))
    .slice(0, isExplicit ? maxNamed : maxSuggestedUsed)
  yield { stage: 'window', detail: `Reading errors ${input.window}.` }
  const byWindow = await latest(failures, limits.window)
  signal.throwIfAborted()
  const found = new Set([byWindow, byKeyword].flatMap(({ facets }) => facets?.source.map(({ value }) => value) ?? []))
  const ofFound = sources.filter(({ sourceId }) => found.has(sourceId))
  const usual = await usualFailures(engine, ofFound, { filters, now: now(), signal })
  const withoutUsual: Filters = { ...filters, notTemplate: [...usual] }
  const unusual = gradedFilters(withoutUsual, 'error')
  const unusualInWindow = usual.size === 0 ? byWindow : await latest(unusual, limits.window)
  const ofSources = scans
    .toSorted((a, b) => (a.grade === b.grade ? 0 : a.grade === 'error' ? -1 : 1))
    .flatMap(({ sourceId, grade, result }): FailureSearch[] =>
      grade === 'entry'
        ? []
        : [{ query: null, filters: gradedFilters({ ...filters, source: sourceId }, grade), grade, known: result }],
    )
  const isOfSources = isExplicit && scans.length > 0
  const ofWords = query
    ? [...(usual.size > 0 ? [withoutUsual] : []), filters].flatMap((each) =>
        (['error', 'warning'] as const).map(
          (grade): FailureSearch => ({ query, filters: gradedFilters(each, grade), grade }),
        ),
      )
    : []
  const whole: FailureSearch = { query: null, filters: failures, grade: 'error', known: byWindow, isWhole: true }
  const wholeUnusual: FailureSearch = { ...whole, filters: unusual, known: unusualInWindow }
  const nearness = nearnessOf(
    byKeyword.entries.map(({ entry }) => entry),
    keywords,
  )
  // Entries with the keywords themselves are nearer than a source that is only suggested.
  const near = nearness.hasMatches ? [...ofWords, ...ofSources] : [...ofSources, ...ofWords]
  const trouble = await findTrouble(search, isOfSources ? ofSources : [...near, wholeUnusual, whole])
  const ofNamed = await searchNamed(search, {
    query,
    filters,
    named: isExplicit ? scans.map(({ sourceId }) => sourceId) : [],
  })
  const inLayers: [Layer, StoredEntry[]][] = [
    ['keywords', withFirst(ofNamed, byKeyword).map(({ entry }) => entry)],
    ['source', scans.flatMap(({ result }) => result.entries.map(({ entry }) => entry))],
    ['window', withFirst(unusualInWindow.entries, byWindow).map(({ entry }) => entry)],
  ]
  let preceding: Preceding[] = []
  if (trouble.first) {
    const { first } = trouble
    yield { stage: 'before', detail: `Reading what ${trouble.first.origin.sourceId} logged before its first failure.` }
    const before = await latest(beforeEntry(trouble.first, filters), limits.before)
    inLayers.push(['context', [trouble.first, ...before.entries.map(({ entry }) => entry)]])
    yield { stage: 'links', detail: 'Looking for what failed or changed just before.' }
    preceding = await findPreceding(engine, search, { first, filters, signal })
  }
  return {
    byKeyword,
    withAll,
    byWindow,
    named: isExplicit ? named : [],
    scans: isExplicit ? scans : [],
    nearness,
    suggested: isExplicit ? [] : named,
    sources,
    trouble,
    preceding,
    usual,
    layers: distinct(inLayers),
  }
}

/** Filters for the entries of the same source before an entry, within the window. */
const beforeEntry = ({ origin, effectiveTime }: StoredEntry, filters: Filters): Filters => ({
  ...filters,
  source: origin.sourceId,
  until: effectiveTime,
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
