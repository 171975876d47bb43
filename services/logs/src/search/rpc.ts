import { failure } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { presentEntry } from '../entries/present.ts'
import type { World } from '../world.ts'
import { aroundEntry } from './context.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { FacetCount } from './facets.ts'
import { parseQuery } from './query.ts'
import { readFilters } from './read-request.ts'
import type { SearchRequest } from './search.ts'

type SearchHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'search' | 'getContext'>

const noModel = 'There is no model for meanings on this server; results are ranked by words.'

const readCursor = (cursor: string | null | undefined) => {
  if (!cursor) return undefined
  const rank = decodeCursor(cursor)
  if (!rank) throw failure('invalid', 'cursor must be a next_cursor that a search has given.')
  return rank
}

const valuesOf = <Value extends string | null>(counts: readonly FacetCount<Value>[] | undefined) =>
  (counts ?? []).map(({ value, count }) => ({ value, count }))

export const searchRpc = ({ engine }: World): SearchHandlers => ({
  search: async (request, { signal, head }) => {
    const started = performance.now()
    const after = readCursor(request.cursor)
    const query = parseQuery(request.q ?? '')
    const wanted: SearchRequest = {
      query,
      filters: readFilters(request),
      limit: request.limit ?? 50,
      order: query === null || request.order === 'time' ? 'time' : 'relevance',
      withFacets: true,
      ...(after && { after }),
    }
    const result = await engine.search(wanted, signal)
    if (result.missing && result.missing.length > 0) head.header('x-branches-missing', result.missing.join(','))
    return {
      entries: result.entries.map(({ entry, score, highlights }) => ({
        ...presentEntry(entry),
        score,
        highlights: JSON.stringify(highlights),
      })),
      total: result.total,
      totalIsExact: result.totalIsExact,
      tookMs: Math.round((performance.now() - started) * 100) / 100,
      mode: 'bm25',
      semanticFallback: request.semantic ? noModel : null,
      facets: {
        severity: valuesOf(result.facets?.severity),
        source: valuesOf(result.facets?.source),
        domain: valuesOf(result.facets?.domain),
      },
      histogram: result.histogram && { ...result.histogram, start: new Date(result.histogram.start).toISOString() },
      nextCursor: result.next && encodeCursor(result.next),
    }
  },
  getContext: async ({ entryId, before, after }, { signal }) => {
    const entry = await engine.find(entryId, signal)
    if (!entry) throw failure('not_found', `There is no entry "${entryId}".`)
    const around = await aroundEntry(engine, entry, { before: before ?? 20, after: after ?? 20, signal })
    return { entries: around.map(presentEntry) }
  },
})
