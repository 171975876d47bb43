import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition, Source } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { addSourceCounts } from '../branches/merge-sources.ts'
import { recordMissing } from '../branches/note-missing.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import { keywordsOf } from '../diagnose/keywords.ts'
import { presentEntry } from '../entries/present.ts'
import { isBuiltIn } from '../patterns/library/mod.ts'
import { stemOf } from '../search/filters.ts'
import { anyOf } from '../search/query.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import { suggestSources } from './suggest.ts'
import { untrackedNames } from './untracked-names.ts'

type SourceHandlers = Pick<
  Handlers<typeof LogsServiceDefinition>,
  'listSources' | 'listPatterns' | 'getStats' | 'suggestSources'
>

const windowHours = 24
const maxRecentCriticals = 20

/** Sources grouped by their stems, the one with the newest entry first. */
export const groupByStem = (counts: readonly SourceCount[]): Source[] => {
  const stems = new Map<string, { count: SourceCount; units: number }>()
  for (const count of counts) {
    const stem = stemOf(count.sourceId)
    const known = stems.get(stem)
    stems.set(stem, {
      count: known ? addSourceCounts(known.count, count) : { ...count, sourceId: stem },
      units: (known?.units ?? 0) + 1,
    })
  }
  return [...stems.values()]
    .toSorted((a, b) => b.count.lastTime - a.count.lastTime || (a.count.sourceId < b.count.sourceId ? -1 : 1))
    .map(({ count, units }) => ({
      sourceId: count.sourceId,
      entryCount: count.entries,
      errorCount: count.bySeverity[1] + count.bySeverity[2],
      firstSeen: new Date(count.firstTime).toISOString(),
      lastSeen: new Date(count.lastTime).toISOString(),
      unitCount: units,
    }))
}

export const sourcesRpc = ({ engine: whole, patterns, now }: Dependencies): SourceHandlers => ({
  listSources: async (_, { signal, head }) => {
    const counts = await whole.sources({}, signal, (missing) => reportMissing(head, missing))
    return { sources: groupByStem(counts) }
  },
  listPatterns: async () => ({
    patterns: patterns.patterns.map(({ tag, domain, severity, description }) => {
      const file = patterns.files.get(tag) ?? null
      const source = file === null ? 'built_in' : isBuiltIn(tag) ? 'changed' : 'user'
      return { tag, domain, severity, description, source, file }
    }),
    problems: [...patterns.problems],
  }),
  suggestSources: async ({ text }, { signal, head }) => {
    const { engine, missing } = recordMissing(whole)
    const keywords = keywordsOf(text)
    const [sources, found] = await Promise.all([
      engine.sources({}, signal),
      keywords.length === 0
        ? undefined
        : engine.search(
            { query: anyOf(keywords), filters: {}, limit: 1, order: 'relevance', withFacets: true },
            signal,
          ),
    ])
    reportMissing(head, missing())
    const hits = new Map((found?.facets?.source ?? []).map(({ value, count }) => [value, count]))
    return {
      sources: suggestSources({ text, sources, hits }),
      untrackedNames: untrackedNames(
        text,
        sources.map(({ sourceId }) => sourceId),
      ),
    }
  },
  getStats: async (_, { signal, head }) => {
    const { engine, missing } = recordMissing(whole)
    const at = now()
    const since = at - windowHours * 3_600_000
    // Entries with a time in the future come from a clock that is ahead.
    const until = at + 1
    const request = { query: null, order: 'time' as const }
    const [all, windowed, errors, criticals] = await Promise.all([
      engine.sources({}, signal),
      engine.search({ ...request, filters: { since, until }, limit: 1, withFacets: true }, signal),
      engine.search(
        { ...request, filters: { since, until, severities: ['CRITICAL', 'ERROR'] }, limit: 1, withFacets: true },
        signal,
      ),
      engine.search(
        {
          ...request,
          filters: { since, until, severities: ['CRITICAL'] },
          limit: maxRecentCriticals,
          withFacets: false,
        },
        signal,
      ),
    ])
    reportMissing(head, missing())
    const countOf = (severity: string) => windowed.facets?.severity.find(({ value }) => value === severity)?.count ?? 0
    const bySource = (result: typeof windowed) => {
      const counts = new Map<string, number>()
      for (const { value, count } of result.facets?.source ?? [])
        counts.set(stemOf(value), (counts.get(stemOf(value)) ?? 0) + count)
      return counts
    }
    const [entries, failures] = [bySource(windowed), bySource(errors)]
    return {
      windowHours,
      criticalCount: countOf('CRITICAL'),
      errorCount: countOf('ERROR'),
      warnCount: countOf('WARN'),
      sources: groupByStem(all).map(({ sourceId, lastSeen }) => {
        const [entryCount, errorCount] = [entries.get(sourceId) ?? 0, failures.get(sourceId) ?? 0]
        return {
          sourceId,
          status: entryCount === 0 ? 'silent' : errorCount > 0 ? 'degraded' : 'healthy',
          entryCount,
          errorCount,
          lastSeen,
        }
      }),
      recentCriticals: criticals.entries.map(({ entry }) => presentEntry(entry)),
    }
  },
})
