import type { Origin } from '../entries/entry.ts'
import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { ParseCounts } from '../formats/file-parser.ts'
import type { UserFormatSet } from '../formats/in-force.ts'
import type { JoinRule } from '../formats/multiline.ts'
import type { PushedOptions, Rejected } from '../ingest/read-pushed.ts'
import type { LogPattern } from '../patterns/pattern.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import type { Backlog } from './backlog.ts'

/** Given to the parsing thread when it starts. */
export type ParserOptions = { patterns: readonly LogPattern[]; analyses: boolean; backlog: Backlog }

export type ParseOptions = {
  source: Omit<Origin, 'format'>
  /** The name of the format, where the sender knows it. */
  format?: string | undefined
  /** An IANA name or an offset, for times that name no zone. */
  zone?: string | undefined
  /** Epoch milliseconds: times without a year are the latest that are not after it. */
  reference: number
  firstYear?: number | undefined
  /** The number of the first line that will be pushed; 1 unless told. */
  firstLine?: number | undefined
  /** The first lines of the whole file, by which its format is told, where what is pushed begins in the middle. */
  sample?: Uint8Array | undefined
  /** How lines join, where the format's own way is not wanted. */
  joins?: JoinRule | undefined
  /** Whether it may be an export of a journal, which its first bytes tell. */
  mayBeExport?: boolean | undefined
  /** Whether entries that patterns match are told of before they are kept. */
  tellsMatches?: boolean | undefined
}

/** `openLine` is the number of the first line that is in no entry yet. */
export type SettledCounts = ParseCounts & { openLine: number }

/** What became of the entries of a pushed body. */
export type PushedResult = IngestResult & { rejected: Rejected[] }

/** What the parsing thread can be asked. Counts are those of the file so far. */
export type ParseCalls = {
  /** The formats of the user are those that the thread goes on with. */
  open: (id: number, options: ParseOptions, userFormats: UserFormatSet) => void
  push: (id: number, chunk: Uint8Array) => Promise<ParseCounts>
  end: (id: number) => Promise<ParseCounts>
  settle: (id: number, closes: boolean) => Promise<SettledCounts>
  drop: (id: number) => void
  /** Reads a pushed body and has its entries kept; answers when all of them are, or one batch of them is not and the others are settled. */
  pushed: (body: Uint8Array, options: PushedOptions, userFormats: UserFormatSet) => Promise<PushedResult>
  rest: (processGoesOn: boolean) => void
}

/** What the parsing thread asks: that a batch of a file be kept, and some of it be told of before; or a batch of a pushed body. */
export type KeepCalls = {
  keep: (id: number, batch: ArrayBuffer, analysis?: BatchAnalysis, matched?: MatchedEntry[]) => Promise<void>
  keepPushed: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
}
