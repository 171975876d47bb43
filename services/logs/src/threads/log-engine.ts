import type { OnMissing } from '../branches/note-missing.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { Statistics } from '../search/rank.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { Care, Freed } from '../segments/retention.ts'
import type { IngestResult } from '../segments/shard.ts'
import type { TemplateCounts, TemplateQuestion } from '../templates/count-templates.ts'
import type { IngestPushed, OpenFileIngest } from './file-ingest.ts'
import type { SourceCount } from './index-calls.ts'

/** Entries that came in together, oldest first; `missed` more came with them than are told of. */
export type Arrival = {
  /** May be made when they are asked for, and then anew each time: whoever goes through them asks once. */
  readonly entries: readonly StoredEntry[]
  readonly missed: number
  /** How much memory it takes to keep it, about. */
  readonly bytes: number
}

/** Told of entries that have become durable. `position` is the version of the catalogue that replicas share with which they came; 0 where there is none. */
export type Follower = (arrival: Arrival, position: number) => void

/**
 * Keeps entries and searches them, in threads that start when they are needed. Questions stop in their thread, between segments, when the
 * signal says so, and reject with its reason then.
 */
export type LogEngine = AsyncDisposable & {
  ingestFile: OpenFileIngest
  /** Keeps what somebody pushed, as JSON: it is read in a thread, too. */
  ingestPushed: IngestPushed
  /** Keeps a batch, which is no longer the caller's; resolves when it is durable and searchable. */
  ingest: (batch: ArrayBuffer) => Promise<IngestResult>
  search: (request: SearchRequest, signal?: AbortSignal) => Promise<SearchResult>
  /**
   * The same as bytes that `serialize` of `node:v8` wrote, for another thread: whoever only passes a result on need not read it. Absent where no
   * thread makes them.
   */
  searchSerialized?: ((request: SearchRequest, signal?: AbortSignal) => Promise<Uint8Array>) | undefined
  /** How often the words of a query occur here; for a `search` with the statistics of more than one engine. */
  countWords: (query: Query, signal?: AbortSignal) => Promise<Statistics>
  find: (entryId: string, signal?: AbortSignal) => Promise<StoredEntry | undefined>
  sources: (filters: Filters, signal?: AbortSignal, onMissing?: OnMissing) => Promise<SourceCount[]>
  /** The templates of entries, with how many there are and when; each with at least one entry that passes but for its time. */
  templates: (question: TemplateQuestion, signal?: AbortSignal, onMissing?: OnMissing) => Promise<TemplateCounts[]>
  /** Tells of entries as they become durable, each once, until the returned function is called. */
  follow: (follower: Follower) => Promise<() => Promise<void>>
  /**
   * Removes all entries of a source, or of all units of a stem, and says how many there were. It holds when it is answered, whatever happens
   * after; what is sent again later is new. The bytes go in the background.
   */
  deleteSource: (source: string, signal?: AbortSignal) => Promise<number>
  /** Puts a severity in place of an entry's, or none with null. Gives the entry as it is then, undefined where there is none. */
  setSeverity: (entryId: string, severity: Severity | null, signal?: AbortSignal) => Promise<StoredEntry | undefined>
  /**
   * Lets go of what was kept long enough, and with `isThorough` gives back all the room there is to give; see `segments/retention.ts`.
   * undefined where another replica is at it.
   */
  maintain: (care: Care) => Promise<Freed | undefined>
  /** Writes what is in memory to a segment. */
  flush: () => Promise<void>
}
