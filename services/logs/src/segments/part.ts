import type { Origin, StoredEntry } from '../entries/entry.ts'
import type { Bitmap } from './bitmap.ts'
import type { BucketColumn, Cells, SmallNumbers } from './count-columns.ts'
import type { NumberColumn } from './number-column.ts'
import type { Occurrences } from './occurrences.ts'
import type { SeverityColumn } from './severity-column.ts'
import type { TimeSpans } from './time-spans.ts'

/** Metadata of one origin in a part, known without reading entries. Times are effective ones, epoch milliseconds. */
export type StreamSummary = {
  origin: Origin
  entries: number
  /** The number of words of its entries, and the first and last arrival; absent in older segments. */
  words?: number
  firstIngest?: number
  lastIngest?: number
  /** By severity code: none, CRITICAL, ERROR, WARN. */
  bySeverity: [number, number, number, number]
  firstTime: number
  lastTime: number
  lowestSequence: number
  highestSequence: number
  /** Whether a sender assigned its own ids, so that sequences do not identify duplicates. */
  hasForeignIds: boolean
}

/** Effective times by document, epoch milliseconds. */
export type Times = { times: NumberColumn; spans: TimeSpans }

/** The columns that order hits, by document. */
export type RankColumns = Times & {
  lengthCodes: Uint8Array
  sequences: NumberColumn
  /** The first bytes of each document's key, `keyStride` apart. */
  keys: Uint8Array
  keyStride: number
}

/** Returns the cached value of a name, or computes and caches it; `bytes` is the memory of the value. */
export type Memoize = <Value>(name: string, find: () => Promise<{ value: Value; bytes: number }>) => Promise<Value>

/**
 * A set of entries that are searched together: the memory index or an immutable segment. Documents are numbered from 0. A part is a snapshot: a
 * growing memory index returns a new part.
 */
export type Part = {
  readonly name: string
  readonly documents: number
  /** The number of visible documents and of all their words, for ranking. */
  corpus: () => Promise<{ documents: number; words: number }>
  readonly firstTime: number
  readonly lastTime: number
  /** The origins of entries, by the numbers in the columns; a hidden stream has no entries. */
  readonly streams: readonly StreamSummary[]
  /** The streams with overridden severities. */
  summaries: () => Promise<readonly StreamSummary[]>
  readonly patternSets: readonly (readonly string[])[]
  /** Template ids as stored; the first is empty, for entries without one. */
  readonly templates: readonly string[]
  /** The visible documents; undefined if all are. */
  visible: () => Promise<Bitmap | undefined>
  // Columns are decoded one by one, so that callers pay only for those they read.
  times: () => Promise<Times>
  severities: () => Promise<SeverityColumn>
  /** For each document an index into `streams`. */
  streamOf: () => Promise<SmallNumbers>
  /** For each document an index into `patternSets`. */
  patternSetOf: () => Promise<SmallNumbers>
  lengthCodes: () => Promise<Uint8Array>
  ranks: () => Promise<RankColumns>
  cells: () => Promise<Cells>
  /** Buckets of this length; undefined if there are too many for a column. */
  buckets: (milliseconds: number) => Promise<BucketColumn | undefined>
  /** For each document an index into `templates`. */
  templateOf: () => Promise<SmallNumbers>
  lookup: (word: string) => Promise<Occurrences | undefined>
  /** The number of documents with the word, read from the dictionary only. */
  frequency: (word: string) => Promise<number>
  /** All words with a prefix, merged into one: counts of a document are added. */
  lookupPrefix: (prefix: string) => Promise<Occurrences | undefined>
  /** When the first and the last of its entries arrived; epoch milliseconds. */
  ingestTimes: () => Promise<{ first: number; last: number }>
  text: (document: number) => Promise<string>
  entry: (document: number) => Promise<StoredEntry>
  /** Several entries, in the order of `documents`: cheaper than one by one. */
  entries: (documents: readonly number[]) => Promise<StoredEntry[]>
  /** Caches results of queries on this part; absent if the part may change. */
  memoize?: Memoize | undefined
  /** Prepares the lookup of documents by the first four bytes of their key (big-endian); callers must compare whole ids. */
  keyLookup: () => Promise<(keyPrefix: number) => readonly number[]>
  /** A search holds the parts that it reads; the file of a replaced part may be removed once all holders have released it. */
  hold: () => void
  release: () => void
}
