import type { Filters } from '../search/filters.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Group } from './groups.ts'

/** Each source that is counted costs a pass over its entries. */
const mostSources = 8
/** Each group whose time is looked up costs two searches. */
const mostTimed = 20

type Engine = Pick<LogEngine, 'search' | 'templates'>

const originOf = ({ entries: [{ origin }] }: Group): { source: string; branch: string } => ({
  source: origin.sourceId,
  branch: origin.branch ?? 'none',
})

/**
 * Says of groups how many entries their source has of the kind within the filters, and from when to when: those shown are the newest, or the
 * best, of them. What comes first is counted first, where there is too much to count. `known` are the templates of all sources, which tell since when there is such a kind at all.
 */
export const withCounts = async (
  engine: Engine,
  groups: readonly Group[],
  { filters, known, signal }: { filters: Filters; known: readonly TemplateCounts[]; signal: AbortSignal },
): Promise<Group[]> => {
  const everywhere = new Map(known.map((template) => [template.templateId, template]))
  const bySource = Map.groupBy(
    groups.filter(({ entries: [{ templateId }] }) => templateId !== null && everywhere.has(templateId)),
    (group) => JSON.stringify(originOf(group)),
  )
  const counts = new Map<Group, TemplateCounts>()
  await Promise.all(
    [...bySource.values()].slice(0, mostSources).map(async (ofSource) => {
      const [one] = ofSource
      if (!one) return
      const anyTemplate = ofSource.flatMap(({ entries: [{ templateId }] }) => templateId ?? [])
      const found = await engine.templates({ filters: { ...filters, ...originOf(one), anyTemplate } }, signal)
      const byId = new Map(found.map((template) => [template.templateId, template]))
      for (const group of ofSource) {
        const template = byId.get(group.entries[0].templateId ?? '')
        if (template) counts.set(group, template)
      }
    }),
  )
  return Promise.all(
    groups.map(async (group, index) => {
      const firstEver = everywhere.get(group.entries[0].templateId ?? '')?.firstSeen
      const template = counts.get(group)
      const told = { ...group, ...(firstEver !== undefined && { firstEver }) }
      if (!template) return told
      const isAllShown = template.count <= group.entries.length || index >= mostTimed
      const times = isAllShown ? {} : await timesOf(engine, group, { filters, template, signal })
      return { ...told, ...times, total: template.count }
    }),
  )
}

/** When a group's kind first and last came within the filters. */
const timesOf = async (
  engine: Engine,
  group: Group,
  { filters, template, signal }: { filters: Filters; template: TemplateCounts; signal: AbortSignal },
): Promise<Pick<Group, 'first' | 'last'>> => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filters
  const { templateId, firstSeen, lastSeen } = template
  const at = async (order: 'oldest' | 'time'): Promise<number | undefined> => {
    const asked = { ...filters, ...originOf(group), anyTemplate: [templateId] }
    const { entries } = await engine.search({ query: null, filters: asked, limit: 1, order, withFacets: false }, signal)
    return entries[0]?.entry.effectiveTime
  }
  const [first, last] = await Promise.all([
    firstSeen >= since ? firstSeen : at('oldest'),
    lastSeen < until ? lastSeen : at('time'),
  ])
  return { first: Math.min(group.first, first ?? group.first), last: Math.max(group.last, last ?? group.last) }
}
