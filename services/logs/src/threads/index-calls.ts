import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { CatalogueChange, CatalogueContent } from '../segments/catalogue.ts'
import type { Care, Freed } from '../segments/retention.ts'
import type { Rewrite, Rewritten } from '../segments/rewrite.ts'
import type { IngestResult, ShardLimits } from '../segments/shard.ts'
import type { TemplateCounts, TemplateQuestion } from '../templates/count-templates.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { PackedEntries } from './packed-entries.ts'

export type IndexOptions = {
  /** What entries are tagged with. */
  patterns: readonly LogPattern[]
  /** Nothing is taken while fewer bytes are free on the disk. */
  reservedBytes: number
  directory: string
  limits: ShardLimits
}

/** Entries of one source as counts; times are epoch milliseconds. */
export type SourceCount = {
  sourceId: string
  entries: number
  bySeverity: [number, number, number, number]
  firstTime: number
  lastTime: number
}

/** How many entries there are, and when the last one arrived: epoch milliseconds, null where there is none. */
export type Holdings = { entries: number; lastArrival: number | null }

/** What the indexing thread can be asked. */
export type IndexCalls = {
  /** `analysis` may be left out: then it is made here. */
  ingest: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
  /** `left` is shared: the search ends with an error soon after it is no longer 0. */
  search: (request: SearchRequest, left?: Int32Array) => Promise<SearchResult>
  searchSerialized: (request: SearchRequest, left?: Int32Array) => Promise<Uint8Array>
  countWords: (query: Query, left?: Int32Array) => Promise<Statistics>
  find: (entryId: string, left?: Int32Array) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, left?: Int32Array) => Promise<SourceCount[]>
  templates: (question: TemplateQuestion, left?: Int32Array) => Promise<TemplateCounts[]>
  /** Whether new entries are to be told of. */
  follow: (isFollowed: boolean) => void
  flush: () => Promise<void>
  rewrite: (rewrite: Rewrite) => Promise<Rewritten>
  deleteSource: (source: string, left?: Int32Array) => Promise<number>
  maintain: (care: Care) => Promise<Freed>
  setSeverity: (entryId: string, severity: Severity | null, left?: Int32Array) => Promise<StoredEntry | undefined>
  holdings: () => Promise<Holdings>
  rest: (processGoesOn: boolean) => Promise<void>
}

/** What the indexing thread asks. */
export type IndexHostCalls = {
  readCatalogue: () => Promise<CatalogueContent>
  changeCatalogue: (change: CatalogueChange) => Promise<void>
  damaged: (problem: string) => void
  /** A batch of the append log cannot be indexed and is left out. */
  setAside: (problem: string) => void
  /** The templates that all threads and replicas share. */
  templateChanges: TemplateStore['changes']
  saveTemplates: TemplateStore['save']
  clearTemplates: TemplateStore['clear']
  pruneTemplates: TemplateStore['prune']
  /** New entries, oldest first; `missed` more came in the same batch. */
  arrived: (entries: PackedEntries, missed: number) => void
}
