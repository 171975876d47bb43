import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { ParseCounts } from '../formats/file-parser.ts'
import { userFormatsInForce } from '../formats/in-force.ts'
import type { PushedOptions } from '../ingest/read-pushed.ts'
import { patternsInForce } from '../patterns/in-force.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import { countingOff, createBacklog } from './backlog.ts'
import { createGate } from './gate.ts'
import { createLazyThread, type LazyThread } from './lazy-thread.ts'
import type { KeepCalls, ParseCalls, ParseOptions, ParserOptions, PushedResult } from './parse-calls.ts'
import type { UploadResult } from './upload-result.ts'

export type SettledUpload = UploadResult & { openLine: number }

/** A file on its way in. Not to be used by two at once. */
export type FileIngest = {
  /**
   * Hands over a chunk, which is no longer the caller's. Resolves when there is room for more, which is how a slow disk slows a sender.
   * What came before is kept even when the file never ends.
   */
  push: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>
  /**
   * Resolves when all entries that have ended so far are durable and searchable, and tells with which line what is not begins: an entry that
   * may go on, or an unfinished line. With `closes`, entries have ended, whatever comes next.
   */
  settle: (closes: boolean) => Promise<SettledUpload>
  /** Resolves when all of the file is durable and searchable. */
  end: () => Promise<UploadResult>
  /** Lets go of a file that will not end. */
  drop: () => Promise<void>
  /** Counts of what is durable. */
  progress: () => UploadResult
}

const defaultInFlightBytes = 3 * 1024 * 1024

export type FileIngestsOptions = {
  /** Bytes of uploads that may be under way in all; a sender past it waits. Three megabytes unless told. */
  inFlightBytes?: number | undefined
  idleMilliseconds: number
  /** Whether the parsing thread may find out what a batch's texts say, when it is ahead of whoever keeps them. */
  analyses: boolean
  /** Makes a batch durable and searchable. The buffers are no longer the caller's. */
  keep: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
  onRest: () => void
  onFailure: (error: Error) => void
}

/** The parsing thread, and the files that are going through it. */
export type FileIngests = AsyncDisposable & {
  open: OpenFileIngest
  pushed: IngestPushed
  readonly isRunning: boolean
  /** Files that have been opened and have not ended. */
  readonly underWay: number
  call: LazyThread<ParseCalls>['call']
}

/** `onMatched` hears of entries that patterns match before they are kept, with `tellsMatches`; they are kept once it resolves. */
export type OpenFileIngest = (
  options: ParseOptions,
  onMatched?: (entries: MatchedEntry[]) => Promise<void>,
) => Promise<FileIngest>

/** Reads a pushed body, which is no longer the caller's, and keeps its entries; resolves when all of them are durable and searchable. */
export type IngestPushed = (body: Uint8Array<ArrayBuffer>, options: PushedOptions) => Promise<PushedResult>

type Upload = { duplicates: number; kept: number; onMatched: ((entries: MatchedEntry[]) => Promise<void>) | undefined }

/** Files are parsed in a thread of their own, which starts with the first and ends when there are none; batches go to `keep` as they are made. */
export const createFileIngests = ({ keep, ...options }: FileIngestsOptions): FileIngests => {
  const gate = createGate(options.inFlightBytes ?? defaultInFlightBytes)
  const uploads = new Map<number, Upload>()
  let nextUpload = 1

  const backlog = createBacklog()
  const data: ParserOptions = { patterns: patternsInForce(), analyses: options.analyses, backlog }
  const parse = createLazyThread<ParseCalls>({
    module: new URL('./parse-worker.ts', import.meta.url),
    data,
    own: {
      keep: countingOff(backlog, async (id, batch, analysis, matched) => {
        if (matched && matched.length > 0) await uploads.get(id)?.onMatched?.(matched)
        const result = await keep(batch, analysis)
        const upload = uploads.get(id)
        if (!upload) return
        upload.duplicates += result.duplicates
        upload.kept += result.entries
      }),
      keepPushed: countingOff(backlog, keep),
    } satisfies KeepCalls,
    idleMilliseconds: options.idleMilliseconds,
    mayRest: () => uploads.size === 0,
    lastCall: 'rest',
    onRest: options.onRest,
    onFailure: options.onFailure,
  })

  const open: OpenFileIngest = async (parseOptions, onMatched) => {
    const id = nextUpload++
    const upload: Upload = { duplicates: 0, kept: 0, onMatched }
    uploads.set(id, upload)
    let lines = 0
    let joined = 0
    let rejected = 0
    let formats: Record<string, number> = {}
    let failed: unknown
    /** Chunks of which not all is kept; the end of the file may be kept before them. */
    const pushing = new Set<Promise<void>>()
    const note = (counts: ParseCounts) => {
      if (counts.lines < lines) return
      lines = counts.lines
      joined = counts.joined
      rejected = counts.rejected
      formats = counts.formats
    }
    const progress = (): UploadResult => ({
      counts: { lines, entries: upload.kept, duplicates: upload.duplicates, rejected, multiline_joined: joined },
      formats,
    })
    const leave = () => uploads.delete(id)
    await parse.call('open', [id, parseOptions, userFormatsInForce()])
    return {
      progress,
      push: async (chunk) => {
        if (failed !== undefined) throw failed
        const bytes = chunk.byteLength
        await gate.enter(bytes)
        const whole = chunk.byteLength === chunk.buffer.byteLength
        const sent = whole ? chunk : Uint8Array.from(chunk)
        const pushed = parse
          .call('push', [id, sent], [sent.buffer])
          .then(note, (error: unknown) => {
            failed ??= error
          })
          .finally(() => {
            gate.leave(bytes)
            pushing.delete(pushed)
          })
        pushing.add(pushed)
      },
      settle: async (closes) => {
        const { openLine, ...counts } = await parse.call('settle', [id, closes])
        await Promise.all(pushing)
        if (failed !== undefined) throw failed
        note(counts)
        return { ...progress(), openLine }
      },
      end: async () => {
        try {
          const counts = await parse.call('end', [id])
          await Promise.all(pushing)
          if (failed !== undefined) throw failed
          note(counts)
          return progress()
        } finally {
          leave()
        }
      },
      drop: async () => {
        leave()
        // A thread that is ending forgets it, too.
        if (parse.isRunning) await parse.call('drop', [id]).catch(() => undefined)
      },
    }
  }
  return {
    open,
    pushed: (body, given) => parse.call('pushed', [body, given, userFormatsInForce()], [body.buffer]),
    get isRunning() {
      return parse.isRunning
    },
    get underWay() {
      return uploads.size
    },
    call: parse.call,
    [Symbol.asyncDispose]: () => parse[Symbol.asyncDispose](),
  }
}
