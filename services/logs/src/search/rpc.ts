import { createHash } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type {
  LogsServiceDefinition,
  SearchRequest as SearchParameters,
} from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import { presentEntry } from '../entries/present.ts'
import { severities } from '../entries/severity-code.ts'
import { aroundEntry } from './context.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { FacetCount } from './facets.ts'
import { highlightsOf } from './highlights.ts'
import type { Position } from './hits.ts'
import { type NearHistogram, nearHistogram } from './near-histogram.ts'
import { parseQuery } from './query.ts'
import { readFilters } from './read-request.ts'
import type { SearchRequest, SearchResult } from './search.ts'

type SearchHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'search' | 'getContext'>

/** A digest of a search without its page: equal for all pages of a search. */
const digestOf = ({ limit: _limit, cursor: _cursor, ...question }: SearchParameters): string => {
  const set = Object.entries(question).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return createHash('sha256').update(JSON.stringify(set.toSorted())).digest('base64url').slice(0, 8)
}

const cursorAfter = (position: Position, parameters: SearchParameters): string =>
  `${encodeCursor(position)}.${digestOf(parameters)}`

/** A cursor of another search is rejected: the entries after its position would be arbitrary. */
const readCursor = (parameters: SearchParameters): Position | undefined => {
  if (!parameters.cursor) return undefined
  const [position = '', digest] = parameters.cursor.split('.')
  const rank = decodeCursor(position)
  if (!rank) throw invalidField(['query', 'cursor'], 'cursor must be a next_cursor that a search returned.')
  if (digest !== digestOf(parameters))
    throw invalidField(['query', 'cursor'], 'cursor is of another search: repeat the parameters of that search.')
  return rank
}

const valuesOf = <Value extends string | null>(counts: readonly FacetCount<Value>[] | undefined) =>
  (counts ?? []).map(({ value, count }) => ({ value, count }))

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** A histogram as the API shows it, with the severities that occur and `none` for entries without one. */
const presentHistogram = ({ start, bySeverity, ...histogram }: NearHistogram) => {
  const none = histogram.counts.map((count, bucket) => count - sumOf(bySeverity.map((counts) => counts[bucket] ?? 0)))
  const named = [
    ...severities.map((severity, index) => [severity, bySeverity[index] ?? []] as const),
    ['none', none] as const,
  ]
  const occurring = named.filter(([, counts]) => sumOf(counts) > 0)
  return {
    ...histogram,
    start: new Date(start).toISOString(),
    bySeverity: JSON.stringify(Object.fromEntries(occurring)),
  }
}

/** The result of a search by the requested ranking, or by words with the reason for the fallback. */
type Ranked = {
  result: Omit<SearchResult, 'next'>
  nextCursor: string | null
  fallback: string | null
  mode: 'bm25' | 'hybrid'
}

export const searchRpc = ({ engine, semantic, requireBranch, now }: Dependencies): SearchHandlers => {
  const byWords = async (
    words: SearchRequest,
    parameters: SearchParameters,
    fallback: string | null,
    signal: AbortSignal,
  ): Promise<Ranked> => {
    const { next, ...result } = await engine.search(words, signal)
    return { result, nextCursor: next && cursorAfter(next, parameters), fallback, mode: 'bm25' }
  }
  const byMeaning = async (
    words: Omit<SearchRequest, 'after'>,
    request: SearchParameters,
    signal: AbortSignal,
  ): Promise<Ranked> => {
    const cursor = request.cursor || undefined
    const answer = await semantic({ q: request.q ?? '', words, cursor }, signal)
    if (answer.kind === 'hybrid') return { ...answer, fallback: null, mode: 'hybrid' }
    if (answer.request) return byWords(answer.request, request, answer.reason, signal)
    const after = readCursor(request)
    return byWords({ ...words, ...(after && { after }) }, request, answer.reason, signal)
  }
  return {
    search: async (request, { signal, head }) => {
      const started = performance.now()
      const query = parseQuery(request.q ?? '')
      const searchRequest: Omit<SearchRequest, 'after'> = {
        query,
        filters: readFilters(request),
        limit: request.limit ?? 50,
        order: query === null || request.order === 'time' ? 'time' : 'relevance',
        withFacets: true,
      }
      await requireBranch(searchRequest.filters.branch)
      const after = request.semantic ? undefined : readCursor(request)
      const { result, nextCursor, fallback, mode } = request.semantic
        ? await byMeaning(searchRequest, request, signal)
        : await byWords({ ...searchRequest, ...(after && { after }) }, request, null, signal)
      const histogram = await nearHistogram(result, searchRequest, { engine, now, signal })
      reportMissing(head, result.missing)
      return {
        entries: result.entries.map(({ entry, score }) => ({
          ...presentEntry(entry),
          score,
          highlights: JSON.stringify(query ? highlightsOf(query, entry.text) : []),
        })),
        total: result.total,
        totalIsExact: result.totalIsExact,
        tookMs: Math.round((performance.now() - started) * 100) / 100,
        mode,
        semanticFallback: fallback,
        facets: {
          severity: valuesOf(result.facets?.severity),
          source: valuesOf(result.facets?.source),
          domain: valuesOf(result.facets?.domain),
        },
        histogram: histogram && presentHistogram(histogram),
        nextCursor,
      }
    },
    getContext: async ({ entryId, before, after }, { signal }) => {
      const entry = await engine.find(entryId, signal)
      if (!entry) throw serviceError('not_found', `There is no entry "${entryId}".`)
      const around = await aroundEntry(engine, entry, { before: before ?? 20, after: after ?? 20, signal })
      return { entries: around.map(presentEntry) }
    },
  }
}
