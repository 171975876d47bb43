import type { Filters } from '../search/filters.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Group } from './groups.ts'

/** Maximum number of sources that are counted; counting scans a source's entries. */
const maxSources = 8

type Engine = Pick<LogEngine, 'templates'>

const originOf = ({ entries: [{ origin }] }: Group): { source: string; branch: string } => ({
  source: origin.sourceId,
  branch: origin.branch ?? 'none',
})

/**
 * Adds to groups the number of entries that their source has of the template within the filters, and their first and last times: a group only contains
 * the newest or best of them. If there are too many sources, those of the first groups are counted. `known` are the templates of all sources, with
 * the time at which each was first seen anywhere.
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
    const dated = { ...group, ...(firstEver !== undefined && { firstEver }) }
    if (!template) return dated
    const first = Math.min(group.first, template.firstCounted)
    const last = Math.max(group.last, template.lastCounted)
    return { ...dated, first, last, total: template.count }
  })
}
