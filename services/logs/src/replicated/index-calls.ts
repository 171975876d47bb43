import type { FilesLocation } from '@trellis/kit/files'
import type { StoredEntry } from '../entries/entry.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { Burial } from '../segments/amendments.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { Care, Freed } from '../segments/retention.ts'
import type { ShardLimits } from '../segments/shard.ts'
import type { TemplateCounts, TemplateQuestion } from '../templates/count-templates.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { CatalogueChanges, NewSegment, Receipt, Replacement } from './shared-catalogue.ts'

export type IndexThreadOptions = {
  /** What entries are tagged with. */
  patterns: readonly LogPattern[]
  files: FilesLocation
  /** Where copies of segments lie on this machine, and how many bytes of them; without it all reads go to the files. */
  local: { directory: string; bytes: number } | undefined
  limits: ShardLimits
}

/** Entries that came with one version of the catalogue, oldest first; `missed` more came with them. */
export type Arrived = { version: number; entries: StoredEntry[]; missed: number }

/** What came until `version`. `isWhole` is false where more came, but nobody can say any more what. */
export type Replay = { arrivals: Arrived[]; isWhole: boolean; version: number }

/** A message by its id, and the version of the catalogue after which it was sent. */
export type Sent = { id: string; sentAfter: number }

/** What the indexing thread of a replica can be asked. */
export type IndexThreadCalls = {
  /** Resolves when the new entries of a batch are committed. `analysis` may be left out: then it is made here. */
  take: (message: Sent, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** Looks at the catalogue, since it may have changed. */
  refresh: () => Promise<void>
  /** `left` is shared: the search ends with an error soon after it is no longer 0. */
  search: (request: SearchRequest, left?: Int32Array) => Promise<SearchResult>
  searchSerialized: (request: SearchRequest, left?: Int32Array) => Promise<Uint8Array>
  countWords: (query: Query, left?: Int32Array) => Promise<Statistics>
  find: (entryId: string, left?: Int32Array) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, left?: Int32Array) => Promise<SourceCount[]>
  templates: (question: TemplateQuestion, left?: Int32Array) => Promise<TemplateCounts[]>
  /** Whether new entries are to be told of. */
  follow: (isFollowed: boolean) => Promise<void>
  /** The version of the catalogue now. */
  version: () => Promise<number>
  /** What was committed after a version. */
  replay: (after: number) => Promise<Replay>
  /** Lets go of what was kept long enough, and with `isThorough` writes anew what is hidden or was changed. */
  maintain: (care: Care) => Promise<Freed>
  /** Lets go of templates that no entry has any more. */
  forgetTemplates: () => Promise<void>
  /** Merges what is worth it. */
  merge: () => Promise<void>
  /** Resolves when nothing is in hand. */
  settled: () => Promise<void>
  rest: (processGoesOn: boolean) => Promise<void>
}

/** What the indexing thread of a replica asks: the catalogue, whose rows are read and written outside of it. */
export type IndexHostCalls = {
  changes: (after: number | undefined) => Promise<CatalogueChanges | undefined>
  commit: (change: { after: number; segment: NewSegment; receipts: readonly Receipt[] }) => Promise<boolean>
  mergeSegments: (change: Replacement) => Promise<boolean>
  settle: (burials: readonly Burial[]) => Promise<void>
  mayMerge: () => Promise<boolean>
  /** The catalogue has been changed from here. */
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
