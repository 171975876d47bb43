import type { FilesLocation } from '@trellis/kit/files'
import type { StoredEntry } from '../entries/entry.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { Tombstone } from '../segments/amendments.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { Freed, MaintenanceRequest } from '../segments/retention.ts'
import type { ShardLimits } from '../segments/shard.ts'
import type { TemplateCounts, TemplateRequest } from '../templates/count-templates.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { CatalogueChanges, NewSegment, Receipt, Replacement } from './shared-catalogue.ts'

export type IndexThreadOptions = {
  /** The patterns that entries are tagged with. */
  patterns: readonly LogPattern[]
  files: FilesLocation
  /** The folder and maximum bytes of local copies of segments; without it all reads go to the shared files. */
  local: { directory: string; bytes: number } | undefined
  limits: ShardLimits
}

/** Entries that came with one version of the catalogue, oldest first; `missed` more came with it. */
export type Arrived = { version: number; entries: StoredEntry[]; missed: number }

/** The arrivals up to `version`. `isWhole` is false where there were more that can no longer be determined. */
export type Replay = { arrivals: Arrived[]; isWhole: boolean; version: number }

/** The id of a message, and the version of the catalogue when it was sent. */
export type Sent = { id: string; sentAfter: number }

/** The calls that a replica's index thread implements. */
export type IndexThreadCalls = {
  /** Resolves when the new entries of a batch are committed. Without `analysis` the index thread analyses the batch. */
  take: (message: Sent, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** Catches up with the catalogue, which may have changed. */
  refresh: () => Promise<void>
  /** `left` is shared memory: once it is not 0, the search soon ends with an error. */
  search: (request: SearchRequest, left?: Int32Array) => Promise<SearchResult>
  searchSerialized: (request: SearchRequest, left?: Int32Array) => Promise<Uint8Array>
  countWords: (query: Query, left?: Int32Array) => Promise<Statistics>
  find: (entryId: string, left?: Int32Array) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, left?: Int32Array) => Promise<SourceCount[]>
  templates: (question: TemplateRequest, left?: Int32Array) => Promise<TemplateCounts[]>
  /** Whether new entries are sent as `arrived`. */
  follow: (isFollowed: boolean) => Promise<void>
  /** The current version of the catalogue. */
  version: () => Promise<number>
  /** The entries committed after a version. */
  replay: (after: number) => Promise<Replay>
  /** Deletes expired entries; with `isThorough` it also rewrites segments that have hidden or changed entries. */
  maintain: (request: MaintenanceRequest) => Promise<Freed>
  /** Deletes templates that no entry has any more. */
  pruneTemplates: () => Promise<void>
  /** Merges segments where it is worthwhile. */
  merge: () => Promise<void>
  /** Resolves when no batch is in progress. */
  settled: () => Promise<void>
  rest: (processGoesOn: boolean) => Promise<void>
}

/** The calls of a replica's index thread to its host, which reads and writes the rows of the catalogue. */
export type IndexHostCalls = {
  changes: (after: number | undefined) => Promise<CatalogueChanges | undefined>
  commit: (change: { after: number; segment: NewSegment; receipts: readonly Receipt[] }) => Promise<boolean>
  mergeSegments: (change: Replacement) => Promise<boolean>
  expireTombstones: (tombstones: readonly Tombstone[]) => Promise<void>
  mayMerge: () => Promise<boolean>
  /** This thread has changed the catalogue. */
  changed: () => void
  damaged: (problem: string) => void
  /** The templates that all threads and replicas share. */
  templateChanges: TemplateStore['changes']
  saveTemplates: TemplateStore['save']
  clearTemplates: TemplateStore['clear']
  pruneTemplates: TemplateStore['prune']
  /** Entries that any replica has committed, in the order of the catalogue; `missed` more came in the same segment. */
  arrived: (arrival: Arrived) => void
}
