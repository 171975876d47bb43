import type { JoinRule } from '../formats/multiline.ts'
import type { FormatCounts } from '../threads/upload-result.ts'
import type { LocalContainerEntry, LocalFileEntry, LocalJournalEntry, SourceEntry, SshEntry } from './source-entry.ts'

/**
 * A position in a source: everything before it is stored. `key` distinguishes positions within a source (a file, a unit, a container); `state`
 * is JSON that only the collector reads.
 */
export type Checkpoint = { key: string; state: string }

/** The checkpoints of one source, stored as rows. */
export type Checkpoints = {
  get: (key: string) => Promise<string | undefined>
  /** All checkpoints of the source whose key has the prefix, by key, read page by page. */
  list: (prefix?: string) => AsyncIterable<Checkpoint>
  put: (checkpoint: Checkpoint) => Promise<void>
  remove: (keys: readonly string[]) => Promise<void>
}

/** A sequence of lines that belong together: the lines of a file, the journal of a unit, the output of a container. */
export type Stream = {
  /** The source id of its entries. */
  sourceId: string
  /** Skips detection. */
  format?: string | undefined
  /** For times without a time zone. */
  zone?: string | undefined
  /** How lines are joined into entries; overrides the rule of the format. */
  joins?: JoinRule | undefined
  /** Epoch milliseconds: a time without a year is in the latest year in which it is not after this. */
  reference: number
  /** The number of the next line, which is its entry's `sequence`; 1 by default. It continues from the checkpoint, so that lines read again are recognised. */
  firstLine?: number
  /** The first lines of the whole, to detect the format when the stream continues in the middle. */
  sample?: Uint8Array | undefined
  /**
   * The position at which a line begins (counted as `firstLine`). With it, an entry that may get more lines stays open during a pause and is
   * read again from its first line; without it, a pause closes all entries.
   */
  checkpointAt?: (line: number) => Promise<Checkpoint | undefined>
}

/** Bytes of a stream. Chunks of several streams may be interleaved; those of one are in order. */
export type Chunk = {
  stream: Stream
  /** Ownership passes to the receiver. Empty if the chunk only carries the other fields. */
  bytes: Uint8Array<ArrayBuffer>
  /** Valid once the stream is stored up to the end of this chunk; absent if no position is known yet. */
  checkpoint?: Checkpoint | undefined
  /** `paused`: there is no more data at the moment. `ended`: the last entry is complete, and this stream has no more chunks. */
  last?: 'paused' | 'ended'
}

/** Entries built from structured records: a journal, a container's log. Batches are in order. */
export type Batch = {
  /** Built by `createBatchBuilder`; absent if the batch only carries a checkpoint. Ownership passes to the receiver. */
  batch: ArrayBuffer | undefined
  entries: number
  /** Lines that became entries; lines in excess of `entries` were joined to the entry of an earlier line. */
  lines: number
  /** Lines by the format as which they were parsed. */
  formats: FormatCounts
  /** The approximate number of bytes that were read. */
  bytes: number
  /** Valid once the batch is stored; absent if no position is known yet. */
  checkpoint: Checkpoint | undefined
}

export type CollectRequest<Entry extends SourceEntry = SourceEntry> = {
  source: Entry
  checkpoints: Checkpoints
  /** Reads everything again, ignoring the checkpoints; stored entries are recognised by their sequence, time and text. */
  force: boolean
  /** Stops reading; chunks that were already yielded are stored nevertheless. */
  signal: AbortSignal
  /** Changed files, if known: only their logs are read. Only for sources of files. */
  only?: ReadonlySet<string> | undefined
  /** Receives problems that do not end the collection, as sentences for users. */
  onProblem: (problem: string) => void
  /** Receives the total number of bytes to read, once it is known. */
  onTotal?: (bytes: number) => void
}

/**
 * A way of collecting. It only reads: the caller stores what it yields (`chunk-writer.ts`) and moves checkpoints only then. After a crash it
 * yields whatever was not acknowledged again, with the same line numbers, so that nothing is stored twice. Throws for a failure of the whole
 * source (an unreachable host), with a sentence for users that contains no secret.
 */
export type Collector<Entry extends SourceEntry = SourceEntry> = {
  /** Yields everything since the checkpoints, then ends. */
  collect: (request: CollectRequest<Entry>) => AsyncIterable<Chunk | Batch>
  /**
   * Yields new data until the signal aborts. It ends early if the other side ends, and is then called again. A source without it, except for
   * local files, is collected by runs only.
   */
  follow?: (request: CollectRequest<Entry>) => AsyncIterable<Chunk | Batch>
}

/** The ways of collecting, by transport and type; sources of an absent one cannot be collected. */
export type Collectors = {
  local: {
    file?: Collector<LocalFileEntry>
    journald?: Collector<LocalJournalEntry>
    docker?: Collector<LocalContainerEntry>
    podman?: Collector<LocalContainerEntry>
  }
  ssh?: Collector<SshEntry>
}
