import type { Origin } from '../entries/entry.ts'
import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { UserFormatSet } from '../formats/active-formats.ts'
import type { ParseCounts } from '../formats/file-parser.ts'
import type { JoinRule } from '../formats/multiline.ts'
import type { PushedOptions, Rejected } from '../ingest/read-pushed.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import type { Backlog } from './backlog.ts'

/** `workerData` of the parser thread. */
export type ParserOptions = { patterns: readonly LogPattern[]; analyses: boolean; backlog: Backlog }

export type ParseOptions = {
  source: Omit<Origin, 'format'>
  /** The name of the format, if the sender specifies it. */
  format?: string | undefined
  /** An IANA name or an offset, for times without a zone. */
  zone?: string | undefined
  /** Epoch milliseconds: a time without a year is resolved to the latest year that is not after it. */
  reference: number
  firstYear?: number | undefined
  /** The number of the first line that will be pushed; defaults to 1. */
  firstLine?: number | undefined
  /** The first lines of the whole file, for format detection where the pushed content begins in the middle. */
  sample?: Uint8Array | undefined
  /** How lines join, overriding the format's own rule. */
  joins?: JoinRule | undefined
  /** Whether the file may be a journal export, which is detected by its first bytes. */
  mayBeExport?: boolean | undefined
  /** Whether entries with matching patterns are passed to `onMatched` before they are stored. */
  reportsMatches?: boolean | undefined
}

/** `openLine` is the number of the first line that is in no entry yet. */
export type SettledCounts = ParseCounts & { openLine: number }

/** Results for the entries of a pushed body. */
export type PushedResult = IngestResult & { rejected: Rejected[] }

/** The calls that the parser thread implements. Counts are totals of the file so far. */
export type ParseCalls = {
  /** `userFormats` replaces the user formats of the thread. */
  open: (id: number, options: ParseOptions, userFormats: UserFormatSet) => void
  push: (id: number, chunk: Uint8Array) => Promise<ParseCounts>
  end: (id: number) => Promise<ParseCounts>
  settle: (id: number, closes: boolean) => Promise<SettledCounts>
  drop: (id: number) => void
  /** Parses a pushed body and stores its entries; settles when all batches have settled, and rejects if one of them failed. */
  pushed: (body: Uint8Array, options: PushedOptions, userFormats: UserFormatSet) => Promise<PushedResult>
  rest: (processGoesOn: boolean) => void
}

/**
 * The calls of the parser thread to its host: store a batch of a file, passing `matched` to `onMatched` first; or store a batch of a pushed body.
 */
export type StoreCalls = {
  store: (id: number, batch: ArrayBuffer, analysis?: BatchAnalysis, matched?: MatchedEntry[]) => Promise<void>
  storePushed: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
}
