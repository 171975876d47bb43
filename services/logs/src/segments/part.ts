import type { Origin, StoredEntry } from '../entries/entry.ts'
import type { Bitmap } from './bitmap.ts'
import type { BucketColumn, Cells, SmallNumbers } from './count-columns.ts'
import type { NumberColumn } from './number-column.ts'
import type { Occurrences } from './occurrences.ts'
import type { SeverityColumn } from './severity-column.ts'
import type { TimeSpans } from './time-spans.ts'

/** What is known of one origin inside a part without reading an entry. Times are effective ones, epoch milliseconds. */
export type StreamSummary = {
  origin: Origin
  entries: number
  /** All words of its entries, and when the first and the last of them arrived; absent in segments of before these were counted. */
  words?: number
  firstIngest?: number
  lastIngest?: number
  /** By severity code: none, CRITICAL, ERROR, WARN. */
  bySeverity: [number, number, number, number]
  firstTime: number
  lastTime: number
  lowestSequence: number
  highestSequence: number
  /** Whether a sender gave ids of its own, so that sequences say nothing about what is a duplicate. */
  hasForeignIds: boolean
}

/** Effective times by document, epoch milliseconds. */
export type Times = { times: NumberColumn; spans: TimeSpans }

/** What puts hits in order, by document. */
export type RankColumns = Times & {
  lengthCodes: Uint8Array
  sequences: NumberColumn
  /** First bytes of each document's key; `keyStride` apart. */
  keys: Uint8Array
  keyStride: number
}

/** Gives what goes by a name, found out now or before; `bytes` is what keeping it takes. */
export type Keep = <Value>(name: string, find: () => Promise<{ value: Value; bytes: number }>) => Promise<Value>

/**
 * A number of entries that are searched together: the memory index or an immutable segment. Documents are numbered from 0.
 * All a part gives out describes the moment it was asked for; a memory index that grows gives a new part.
 */
export type Part = {
  readonly name: string
  readonly documents: number
  /** How many documents may be seen, and all their words, each occurrence counted: what ranking goes by. */
  corpus: () => Promise<{ documents: number; words: number }>
  readonly firstTime: number
  readonly lastTime: number
  /** Where entries came from, by the numbers of the columns; one of which none may be seen has no entries. */
  readonly streams: readonly StreamSummary[]
  /** The streams with severities as they are now. */
  summaries: () => Promise<readonly StreamSummary[]>
  readonly patternSets: readonly (readonly string[])[]
  /** Ids of templates as they were given; the first is empty and stands for none. */
  readonly templates: readonly string[]
  /** The documents that may be seen; undefined where all may. */
  visible: () => Promise<Bitmap | undefined>
  // Columns are unpacked one by one, so that who asks pays for what it reads.
  times: () => Promise<Times>
  severities: () => Promise<SeverityColumn>
  /** For each document an index into `streams`. */
  streamOf: () => Promise<SmallNumbers>
  /** For each document an index into `patternSets`. */
  patternSetOf: () => Promise<SmallNumbers>
  lengthCodes: () => Promise<Uint8Array>
  ranks: () => Promise<RankColumns>
  cells: () => Promise<Cells>
  /** Buckets of so many milliseconds; undefined where there are too many for a column. */
  buckets: (milliseconds: number) => Promise<BucketColumn | undefined>
  /** For each document an index into `templates`. */
  templateOf: () => Promise<SmallNumbers>
  lookup: (word: string) => Promise<Occurrences | undefined>
  /** How many documents have the word, read from the dictionary alone. */
  frequency: (word: string) => Promise<number>
  /** All words that begin so, taken as one: a document has it as often as it has all of them. */
  lookupPrefix: (prefix: string) => Promise<Occurrences | undefined>
  /** When the first and the last of its entries arrived; epoch milliseconds. */
  ingestTimes: () => Promise<{ first: number; last: number }>
  text: (document: number) => Promise<string>
  entry: (document: number) => Promise<StoredEntry>
  /** Several at once, in the order in which they are named: cheaper than one after the other. */
  entries: (documents: readonly number[]) => Promise<StoredEntry[]>
  /** Keeps what was found out about it while there is room; absent where it may change. */
  keep?: Keep | undefined
  /** Makes ready to find documents by the first four bytes of their key (big-endian); whole ids have to be compared. */
  keyLookup: () => Promise<(keyPrefix: number) => readonly number[]>
  /** A search holds what it reads; a part that is let go by all and was replaced may be removed. */
  hold: () => void
  release: () => void
}
