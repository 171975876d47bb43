import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { CatalogueChange, CatalogueContent } from '../segments/catalogue.ts'
import type { Freed, MaintenanceRequest } from '../segments/retention.ts'
import type { Rewrite, Rewritten } from '../segments/rewrite.ts'
import type { IngestResult, ShardLimits } from '../segments/shard.ts'
import type { TemplateCounts, TemplateRequest } from '../templates/count-templates.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { PackedEntries } from './packed-entries.ts'

export type IndexOptions = {
  /** The patterns that entries are tagged with. */
  patterns: readonly LogPattern[]
  /** Writes are rejected while fewer bytes are free on the disk. */
  reservedBytes: number
  directory: string
  limits: ShardLimits
}

/** Counts of the entries of one source; times are epoch milliseconds. */
export type SourceCount = {
  sourceId: string
  entries: number
  bySeverity: [number, number, number, number]
  firstTime: number
  lastTime: number
}

/** The number of entries, and the time when the last one arrived: epoch milliseconds, null without entries. */
export type Holdings = { entries: number; lastArrival: number | null }

/** The calls that the index thread implements. */
export type IndexCalls = {
  /** Without `analysis` the index thread analyses the batch. */
  ingest: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
  /** `left` is shared memory: once it is not 0, the search soon ends with an error. */
  search: (request: SearchRequest, left?: Int32Array) => Promise<SearchResult>
  searchSerialized: (request: SearchRequest, left?: Int32Array) => Promise<Uint8Array>
  countWords: (query: Query, left?: Int32Array) => Promise<Statistics>
  find: (entryId: string, left?: Int32Array) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, left?: Int32Array) => Promise<SourceCount[]>
  templates: (question: TemplateRequest, left?: Int32Array) => Promise<TemplateCounts[]>
  /** Whether new entries are sent as `arrived`, and deleted sources as `deleted`. */
  follow: (isFollowed: boolean) => void
  flush: () => Promise<void>
  rewrite: (rewrite: Rewrite) => Promise<Rewritten>
  deleteSource: (source: string, left?: Int32Array) => Promise<number>
  maintain: (request: MaintenanceRequest) => Promise<Freed>
  setSeverity: (entryId: string, severity: Severity | null, left?: Int32Array) => Promise<StoredEntry | undefined>
  holdings: () => Promise<Holdings>
  rest: (processGoesOn: boolean) => Promise<void>
}

/** The calls of the index thread to its host. */
export type IndexHostCalls = {
  readCatalogue: () => Promise<CatalogueContent>
  changeCatalogue: (change: CatalogueChange) => Promise<void>
  damaged: (problem: string) => void
  /** A batch of the append log cannot be indexed and is set aside. */
  setAside: (problem: string) => void
  /** The templates that all threads and replicas share. */
  templateChanges: TemplateStore['changes']
  saveTemplates: TemplateStore['save']
  clearTemplates: TemplateStore['clear']
  pruneTemplates: TemplateStore['prune']
  /** New entries, oldest first; `missed` more entries of the same batch are left out. */
  arrived: (entries: PackedEntries, missed: number) => void
  /** A source, or a stem of sources, was deleted with all entries that have arrived so far. */
  deleted: (source: string) => void
}
