import { serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { Template, TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import { recordMissing } from '../branches/note-missing.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import { presentEntry } from '../entries/present.ts'
import { readFilters } from '../search/read-request.ts'
import type { TemplateCounts } from './count-templates.ts'
import { countInWindow, type Listing, pageOfTemplates, severityOf } from './list-templates.ts'
import { type Direction, directionOf, type Window } from './trend.ts'

const maxExamples = 10
const orders: readonly Listing['order'][] = ['last_seen', 'count', 'first_seen']

const present = (counts: TemplateCounts, direction: Direction, window: Window): Template => ({
  templateId: counts.templateId,
  template: counts.template,
  count: counts.count,
  firstSeen: new Date(counts.firstSeen).toISOString(),
  lastSeen: new Date(counts.lastSeen).toISOString(),
  severity: severityOf(counts),
  trend: {
    direction,
    start: new Date(window.start).toISOString(),
    bucketSeconds: window.milliseconds / 1000,
    counts: counts.buckets,
  },
})

/** A template that is not found may belong to a branch that does not respond. */
const noTemplate = (templateId: string, missing: readonly string[]) =>
  missing.length === 0
    ? serviceError('not_found', `There is no template "${templateId}".`)
    : serviceError(
        'unavailable',
        `The template "${templateId}" may be in a branch that does not respond: ${missing.join(', ')}.`,
        {
          retryAfterSeconds: 5,
        },
      )

export const templatesRpc = ({
  engine: whole,
  requireBranch,
  now,
}: Pick<Dependencies, 'engine' | 'requireBranch' | 'now'>): Handlers<typeof TemplatesServiceDefinition> => ({
  listTemplates: async (request, { signal, head }) => {
    const filters = readFilters(request)
    await requireBranch(filters.branch)
    const { engine, missing } = recordMissing(whole)
    const counted = await countInWindow({ engine, now }, filters, signal)
    reportMissing(head, missing())
    const { page, total, nextCursor } = pageOfTemplates(counted, {
      q: request.q ?? '',
      direction: request.trend,
      order: orders.find((known) => known === request.order) ?? 'last_seen',
      limit: request.limit ?? 50,
      cursor: request.cursor ?? '',
    })
    return {
      templates: page.map(({ counts, direction }) => present(counts, direction, counted.window)),
      total,
      nextCursor,
    }
  },
  getTemplate: async ({ templateId }, { signal, head }) => {
    const { engine, missing } = recordMissing(whole)
    const filters = { anyTemplate: [templateId] }
    const { templates, window } = await countInWindow({ engine, now }, filters, signal)
    const [counts] = templates
    if (!counts) throw noTemplate(templateId, missing())
    const newest = await engine.search(
      { query: null, filters, order: 'time', limit: maxExamples, withFacets: true },
      signal,
    )
    reportMissing(head, missing())
    return {
      template: present(counts, directionOf(counts, window), window),
      sources: (newest.facets?.source ?? []).map(({ value, count }) => ({ value, count })),
      examples: newest.entries.map(({ entry }) => presentEntry(entry)),
    }
  },
})
