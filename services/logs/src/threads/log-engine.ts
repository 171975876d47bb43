import type { OnMissing } from '../branches/note-missing.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { Freed, MaintenanceRequest } from '../segments/retention.ts'
import type { IngestResult } from '../segments/shard.ts'
import type { TemplateCounts, TemplateRequest } from '../templates/count-templates.ts'
import type { IngestPushed, OpenFileIngest } from './file-ingest.ts'
import type { SourceCount } from './index-calls.ts'

/** Entries that arrived together, oldest first; `missed` more arrived with them and are left out. */
export type Arrival = {
  /** May be unpacked on each access, so a reader that iterates should read it once. */
  readonly entries: readonly StoredEntry[]
  readonly missed: number
  /** Approximate memory of the arrival, in bytes. */
  readonly bytes: number
}

/** Receives entries that have become durable. `position` is the version of the shared catalogue that contains them; 0 without one. */
export type Follower = (arrival: Arrival, position: number) => void

/** Receives each source, or stem of sources, that is deleted: after the arrivals that the deletion concerns, before all later ones. */
export type DeletionListener = (source: string) => void

/**
 * Stores and searches entries, in threads that start when they are needed. Queries stop in their thread, between segments, when the signal
 * aborts, and reject with its reason.
 */
export type LogEngine = AsyncDisposable & {
  ingestFile: OpenFileIngest
  /** Stores a pushed JSON body, which is parsed in a thread. */
  ingestPushed: IngestPushed
  /** Takes ownership of a batch and stores it; resolves when it is durable and searchable. */
  ingest: (batch: ArrayBuffer) => Promise<IngestResult>
  search: (request: SearchRequest, signal?: AbortSignal) => Promise<SearchResult>
  /**
   * The same result as bytes of `serialize` of `node:v8`, for another thread: a caller that forwards a result need not deserialize it. Absent
   * where no thread serializes.
   */
  searchSerialized?: ((request: SearchRequest, signal?: AbortSignal) => Promise<Uint8Array>) | undefined
  /** How often the words of a query occur in this engine, for a `search` with the statistics of several engines. */
  countWords: (query: Query, signal?: AbortSignal) => Promise<Statistics>
  find: (entryId: string, signal?: AbortSignal) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, signal?: AbortSignal, onMissing?: OnMissing) => Promise<SourceCount[]>
  /** The templates of matching entries with counts and times. Each has at least one entry that matches the filters other than the time. */
  templates: (question: TemplateRequest, signal?: AbortSignal, onMissing?: OnMissing) => Promise<TemplateCounts[]>
  /**
   * Passes each entry to `follower` once when it becomes durable, until the returned function is called. Deletions are reported only by an engine
   * without a shared catalogue: followers read those of a catalogue there.
   */
  follow: (follower: Follower, onDeleted?: DeletionListener) => Promise<() => Promise<void>>
  /**
   * Deletes all entries of a source, or of all units of a stem, and returns their number. The deletion is durable when it resolves; entries that
   * are sent again later are new. The bytes are freed in the background.
   */
  deleteSource: (source: string, signal?: AbortSignal) => Promise<number>
  /** Overrides an entry's severity; null removes it. Returns the changed entry, undefined where there is none. */
  setSeverity: (entryId: string, severity: Severity | null, signal?: AbortSignal) => Promise<StoredEntry | undefined>
  /**
   * Deletes expired entries, and with `isThorough` reclaims all disk space that can be reclaimed; see `segments/retention.ts`. undefined while
   * another replica does so.
   */
  maintain: (request: MaintenanceRequest) => Promise<Freed | undefined>
  /** Writes what is in memory to a segment. */
  flush: () => Promise<void>
}
