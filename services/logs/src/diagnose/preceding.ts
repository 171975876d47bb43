import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import { anyOf } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { groupRepeats, kindsOf } from './groups.ts'
import { lookbackMilliseconds, type Preceding } from './links.ts'

const maxFailures = 200
const maxChanges = 30
/** The usual frequency of a template is counted over one day before. */
const usualMilliseconds = 86_400_000

/** Words of entries that report changes. */
const changeWords =
  'deploy deployed deploying deployment rollout release released upgrade upgraded updated migration migrated reloaded reconfigured rollback'.split(
    ' ',
  )
const isChange = new RegExp(`\\b(?:${changeWords.join('|')})\\b`, 'i')

const dayBefore = (time: number): Pick<Filters, 'since' | 'until'> => ({
  since: time - lookbackMilliseconds - usualMilliseconds,
  until: time - lookbackMilliseconds,
})

/**
 * Failures and changes in any source in the minutes before the trouble, grouped by template and source, each with how unusual it is then: a template
 * that is as frequent at other times is noise.
 */
export const findPreceding = async (
  engine: Pick<LogEngine, 'templates'>,
  search: (request: SearchRequest) => Promise<Pick<SearchResult, 'entries'>>,
  { first, filters, signal }: { first: StoredEntry; filters: Filters; signal: AbortSignal },
): Promise<Preceding[]> => {
  const time = first.effectiveTime
  // The window of the question does not limit the search for causes.
  const { severities: _, ...otherFilters } = filters
  const before: Filters = { ...otherFilters, since: time - lookbackMilliseconds, until: time + 2_000 }
  const common = { order: 'time' as const, withFacets: false }
  const [failures, changes] = await Promise.all([
    search({
      ...common,
      query: null,
      filters: { ...before, severities: ['CRITICAL', 'ERROR', 'WARN'] },
      limit: maxFailures,
    }),
    search({ ...common, query: anyOf(changeWords), filters: before, limit: maxChanges }),
  ])
  const entries = new Map([...failures.entries, ...changes.entries].map(({ entry }) => [entry.entryId, entry]))
  entries.delete(first.entryId)
  if (entries.size === 0) return []
  const anyTemplate = [...new Set([...entries.values()].flatMap(({ templateId }) => templateId ?? []))]
  const counted =
    anyTemplate.length === 0
      ? []
      : await engine.templates({ filters: { ...otherFilters, ...dayBefore(time), anyTemplate } }, signal)
  const byId = new Map(counted.map((template) => [template.templateId, template]))
  return groupRepeats([...entries.values()], kindsOf(counted)).map((group) => {
    const [newest] = group.entries
    const usual = byId.get(newest.templateId ?? '')
    const span = usual ? Math.min(usualMilliseconds, time - lookbackMilliseconds - usual.firstCounted) : 0
    const expected = usual && span > 0 ? usual.count * Math.min(1, lookbackMilliseconds / span) : 0
    return {
      ...group,
      surprise: Math.max(0, 1 - expected / group.entries.length),
      isChange: newest.severity === null && isChange.test(newest.text),
    }
  })
}
