import type {
  BranchSearchRequest,
  BranchSearchResponse,
  BranchSource,
  BranchTemplate,
  CountBranchTemplatesRequest,
  EntryFilters,
  EntryHistogram,
  EntryRank,
  KeptEntry,
  WordLeaf,
  WordQuery,
  WordStatistics,
} from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { FacetValue } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Origin, SenderDetails, StoredEntry } from '../entries/entry.ts'
import { type Severity, severities } from '../entries/severity-code.ts'
import type { FacetCount } from '../search/facets.ts'
import type { Filters } from '../search/filters.ts'
import type { Histogram } from '../search/histogram.ts'
import type { Order, Rank } from '../search/hits.ts'
import type { Leaf, Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { TemplateCounts, TemplateRequest } from '../templates/count-templates.ts'
import type { SourceCount } from '../threads/index-calls.ts'

/** Converts the engine's values between the logs service and a branch to messages and back, with a pair of functions for each type. */

export const severityOf = (word: string | null | undefined): Severity | null =>
  severities.find((known) => known === word) ?? null

const leafTo = ({ words, isPrefix }: Leaf): WordLeaf => ({ words, isPrefix })

export const queryTo = ({ clauses, excluded }: Query): WordQuery => ({
  clauses: clauses.map((leaves) => ({ leaves: leaves.map(leafTo) })),
  excluded: excluded.map(leafTo),
})

export const queryFrom = ({ clauses, excluded }: WordQuery): Query => ({
  clauses: clauses.map(({ leaves }) => leaves),
  excluded,
})

/** How a filter names entries without a severity. */
const noSeverity = 'none'

const listTo = (values: readonly string[] | undefined) => values && { tags: [...values] }

export const filtersTo = ({
  severities: selected = [],
  anySource,
  notSource,
  anyPattern,
  notPattern,
  anyTemplate,
  notTemplate,
  ...filters
}: Filters): EntryFilters => ({
  ...filters,
  severities: selected.map((severity) => severity ?? noSeverity),
  anySource: listTo(anySource),
  notSource: listTo(notSource),
  anyPattern: listTo(anyPattern),
  notPattern: listTo(notPattern),
  anyTemplate: listTo(anyTemplate),
  notTemplate: listTo(notTemplate),
})

const ifPresent = <Value>(name: string, value: Value | null | undefined): object =>
  value === null || value === undefined ? {} : { [name]: value }

export const filtersFrom = (filters: EntryFilters | null | undefined): Filters => ({
  ...ifPresent('source', filters?.source),
  ...ifPresent('since', filters?.since),
  ...ifPresent('until', filters?.until),
  ...ifPresent('pattern', filters?.pattern),
  ...ifPresent('anySource', filters?.anySource?.tags),
  ...ifPresent('notSource', filters?.notSource?.tags),
  ...ifPresent('anyPattern', filters?.anyPattern?.tags),
  ...ifPresent('notPattern', filters?.notPattern?.tags),
  ...ifPresent('anyTemplate', filters?.anyTemplate?.tags),
  ...ifPresent('notTemplate', filters?.notTemplate?.tags),
  ...ifPresent('tenant', filters?.tenant),
  ...ifPresent('branch', filters?.branch),
  ...(filters && filters.severities.length > 0
    ? { severities: filters.severities.flatMap((word) => (word === noSeverity ? [null] : (severityOf(word) ?? []))) }
    : {}),
})

const rankTo = ({ score, time, sequence, key }: Rank): EntryRank => ({ score, time, sequence, key })

export const statisticsTo = ({ documents, words, frequencies }: Statistics): WordStatistics => ({
  documents,
  words,
  frequencies: Object.fromEntries(frequencies),
})

export const statisticsFrom = ({ documents, words, frequencies }: WordStatistics): Statistics => ({
  documents,
  words,
  frequencies: new Map(Object.entries(frequencies)),
})

export const requestTo = (request: SearchRequest): BranchSearchRequest => ({
  query: request.query && queryTo(request.query),
  filters: filtersTo(request.filters),
  limit: request.limit,
  order: request.order,
  after: request.after ? rankTo(request.after) : null,
  withFacets: request.withFacets,
  statistics: request.statistics ? statisticsTo(request.statistics) : null,
})

const orders: readonly Order[] = ['relevance', 'time', 'oldest']

export const requestFrom = (request: BranchSearchRequest): SearchRequest => ({
  query: request.query ? queryFrom(request.query) : null,
  filters: filtersFrom(request.filters),
  limit: request.limit,
  order: orders.find((known) => known === request.order) ?? 'time',
  withFacets: request.withFacets,
  ...ifPresent('after', request.after),
  ...(request.statistics ? { statistics: statisticsFrom(request.statistics) } : {}),
})

export const entryTo = ({ origin, sender, ...entry }: StoredEntry): KeptEntry => ({
  ...entry,
  sourceId: origin.sourceId,
  branch: origin.branch,
  tenantId: origin.tenantId,
  format: origin.format,
  anonymized: origin.anonymized === true,
  sender: sender && JSON.stringify(sender),
})

export const entryFrom = (entry: KeptEntry): StoredEntry => {
  const {
    sourceId,
    branch = null,
    tenantId = null,
    format,
    anonymized,
    sender,
    severity,
    time,
    templateId,
    order,
    ...rest
  } = entry
  const origin: Origin = { sourceId, branch, tenantId, format, ...(anonymized && { anonymized }) }
  return {
    ...rest,
    origin,
    ...ifPresent('order', order),
    time: time ?? null,
    templateId: templateId ?? null,
    severity: severityOf(severity),
    sender: sender ? (JSON.parse(sender) as SenderDetails) : null,
  }
}

const countsFrom = (counts: readonly FacetValue[]): FacetCount<string>[] =>
  counts.map(({ value, count }) => ({ value: value ?? '', count }))

const histogramTo = ({ bySeverity, ...histogram }: Histogram): EntryHistogram => ({
  ...histogram,
  bySeverity: bySeverity.map((counts) => ({ counts })),
})

const histogramFrom = ({ bySeverity, ...histogram }: EntryHistogram): Histogram => ({
  ...histogram,
  bySeverity: severities.map((_, index) => bySeverity[index]?.counts ?? histogram.counts.map(() => 0)),
})

export const resultTo = (result: SearchResult): BranchSearchResponse => ({
  ...result,
  histogram: result.histogram && histogramTo(result.histogram),
  entries: result.entries.map(({ entry, score }) => ({ entry: entryTo(entry), score })),
  next: result.next && rankTo(result.next),
})

export const resultFrom = (response: BranchSearchResponse): SearchResult => ({
  entries: response.entries.flatMap(({ entry, score }) => (entry ? [{ entry: entryFrom(entry), score }] : [])),
  total: response.total,
  totalIsExact: response.totalIsExact,
  facets: response.facets
    ? {
        severity: response.facets.severity.map(({ value, count }) => ({ value: severityOf(value), count })),
        source: countsFrom(response.facets.source),
        pattern: countsFrom(response.facets.pattern),
        domain: countsFrom(response.facets.domain),
      }
    : null,
  histogram: response.histogram ? histogramFrom(response.histogram) : null,
  next: response.next ?? null,
})

export const templateQuestionTo = ({ filters, buckets }: TemplateRequest): CountBranchTemplatesRequest => ({
  filters: filtersTo(filters),
  start: buckets?.start ?? 0,
  bucketMilliseconds: buckets?.milliseconds ?? 1,
  bucketCount: buckets?.count ?? 0,
})

export const templateQuestionFrom = (request: CountBranchTemplatesRequest): TemplateRequest => ({
  filters: filtersFrom(request.filters),
  buckets: { start: request.start, milliseconds: request.bucketMilliseconds, count: request.bucketCount },
})

export const templateFrom = ({ bySeverity, ...template }: BranchTemplate): TemplateCounts => {
  const [none = 0, critical = 0, error = 0, warn = 0] = bySeverity
  return { ...template, bySeverity: [none, critical, error, warn] }
}

export const sourceTo = (count: SourceCount): BranchSource => count

export const sourceFrom = ({ bySeverity, ...source }: BranchSource): SourceCount => {
  const [none = 0, critical = 0, error = 0, warn = 0] = bySeverity
  return { ...source, bySeverity: [none, critical, error, warn] }
}
