import type { JoinRule } from '../formats/multiline.ts'
import type { FormatCounts } from '../threads/upload-result.ts'
import type { LocalContainerEntry, LocalFileEntry, LocalJournalEntry, SourceEntry, SshEntry } from './source-entry.ts'

/**
 * A place in something that is collected: all before it is stored. `key` tells places of one source apart (a file, a unit, a container);
 * `state` is the collector's own, as JSON.
 */
export type Checkpoint = { key: string; state: string }

/** The places of one source, which are rows. */
export type Checkpoints = {
  get: (key: string) => Promise<string | undefined>
  /** All of the source whose key begins so, by key, read as they are asked for. */
  list: (prefix?: string) => AsyncIterable<Checkpoint>
  put: (checkpoint: Checkpoint) => Promise<void>
  remove: (keys: readonly string[]) => Promise<void>
}

/** One run of lines that belong together: the lines of a file, the journal of a unit, the output of a container. */
export type Stream = {
  /** What its entries are kept under. */
  sourceId: string
  /** Skips detection. */
  format?: string | undefined
  /** For times that name no zone. */
  zone?: string | undefined
  /** How lines join, where the format's own way is not wanted. */
  joins?: JoinRule | undefined
  /** Epoch milliseconds: times without a year are the latest that are not after it. */
  reference: number
  /** The number of the first line that will come, which becomes its entry's `sequence`; 1 unless told. Goes on where the checkpoint left off, so that what is read again is known again. */
  firstLine?: number
  /** First lines of the whole, by which the format is told when the stream goes on in the middle. */
  sample?: Uint8Array | undefined
  /**
   * The place where a line begins (counted as `firstLine` does). With it, an entry to which more lines may come stays open over a pause,
   * and is read again from its first line; without it, a pause closes all entries.
   */
  checkpointAt?: (line: number) => Promise<Checkpoint | undefined>
}

/** Bytes of a stream. Chunks of several streams may come mixed; those of one come in order. */
export type Chunk = {
  stream: Stream
  /** No longer the collector's. Empty where only the rest is news. */
  bytes: Uint8Array<ArrayBuffer>
  /** Holds once all of the stream up to the end of this chunk is stored; absent where nothing can be said yet. */
  checkpoint?: Checkpoint | undefined
  /** `paused`: there is no more for now. `ended`: the last entry is complete, and this stream has no more chunks. */
  last?: 'paused' | 'ended'
}

/** Entries that were made of more than lines: a journal, a container's log. Batches come in order. */
export type Batch = {
  /** As `createBatchBuilder` makes it; absent where only the checkpoint is news. No longer the collector's. */
  batch: ArrayBuffer | undefined
  entries: number
  /** Lines that became entries; those beyond their number are part of the entry of a line before. */
  lines: number
  /** Those lines by the format that they were read as. */
  formats: FormatCounts
  /** How much was read, about. */
  bytes: number
  /** Holds once the batch is stored; absent where nothing can be said yet. */
  checkpoint: Checkpoint | undefined
}

export type CollectRequest<Entry extends SourceEntry = SourceEntry> = {
  source: Entry
  checkpoints: Checkpoints
  /** Reads everything again, whatever the checkpoints say; what is stored already is known by its sequence, time and text. */
  force: boolean
  /** Ends the reading; what has been given is stored nevertheless. */
  signal: AbortSignal
  /** Files that have changed, where that is known: only their logs are looked at. For files alone. */
  only?: ReadonlySet<string> | undefined
  /** Something that cannot be read, which ends nothing: a sentence for people. */
  onProblem: (problem: string) => void
  /** How many bytes there are to read in all, once that is known. */
  onTotal?: (bytes: number) => void
}

/**
 * A way of collecting. It only reads: what it gives is stored by whoever asked (`keep-chunks.ts`), and only then do checkpoints move. Asked
 * again after a crash it gives what was not acknowledged, with the same line numbers, and nothing is stored twice.
 * Throws for what prevents everything (a host that cannot be reached), with a sentence for people and no secret.
 */
export type Collector<Entry extends SourceEntry = SourceEntry> = {
  /** All that there is since the checkpoints; ends with it. */
  collect: (request: CollectRequest<Entry>) => AsyncIterable<Chunk | Batch>
  /**
   * Goes on with what comes until the signal aborts; ends early where the other side ends, and is then asked again. Where there is none,
   * and the source is no file of this machine, runs alone collect it.
   */
  follow?: (request: CollectRequest<Entry>) => AsyncIterable<Chunk | Batch>
}

/** Each way of collecting, by what a source says; those that are absent cannot be collected here. */
export type Collectors = {
  local: {
    file?: Collector<LocalFileEntry>
    journald?: Collector<LocalJournalEntry>
    docker?: Collector<LocalContainerEntry>
    podman?: Collector<LocalContainerEntry>
  }
  ssh?: Collector<SshEntry>
}
