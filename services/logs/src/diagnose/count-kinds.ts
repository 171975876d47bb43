import type { Filters } from '../search/filters.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Group } from './groups.ts'

/** Each source that is counted costs a pass over its entries. */
const maxSources = 8

type Engine = Pick<LogEngine, 'templates'>

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
    [...bySource.values()].slice(0, maxSources).map(async (ofSource) => {
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
  return groups.map((group) => {
    const firstEver = everywhere.get(group.entries[0].templateId ?? '')?.firstSeen
    const template = counts.get(group)
    const told = { ...group, ...(firstEver !== undefined && { firstEver }) }
    if (!template) return told
    const first = Math.min(group.first, template.firstCounted)
    const last = Math.max(group.last, template.lastCounted)
    return { ...told, first, last, total: template.count }
  })
}
