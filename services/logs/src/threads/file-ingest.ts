import type { MatchedEntry } from '../entries/matched-entry.ts'
import { activeUserFormats } from '../formats/active-formats.ts'
import type { ParseCounts } from '../formats/file-parser.ts'
import type { PushedOptions } from '../ingest/read-pushed.ts'
import { activePatterns } from '../patterns/active-patterns.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import { createBacklog, leavingBacklog } from './backlog.ts'
import { createGate } from './gate.ts'
import { createLazyThread, type LazyThread } from './lazy-thread.ts'
import type { ParseCalls, ParseOptions, ParserOptions, PushedResult, StoreCalls } from './parse-calls.ts'
import type { UploadResult } from './upload-result.ts'

export type SettledUpload = UploadResult & { openLine: number }

/** A file that is being ingested, for one sender at a time. */
export type FileIngest = {
  /**
   * Takes ownership of a chunk. Resolves when there is room for more, which applies backpressure to the sender. Earlier chunks are stored even if
   * the file never ends.
   */
  push: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>
  /**
   * Resolves when all complete entries so far are durable and searchable, with the number of the first line that is in none of them: of an entry
   * that may continue, or of an unfinished line. With `closes`, all entries are complete, whatever comes next.
   */
  settle: (closes: boolean) => Promise<SettledUpload>
  /** Resolves when the whole file is durable and searchable. */
  end: () => Promise<UploadResult>
  /** Releases a file that will not end. */
  drop: () => Promise<void>
  /** Counts of durable entries. */
  progress: () => UploadResult
}

const defaultInFlightBytes = 3 * 1024 * 1024

export type FileIngestsOptions = {
  /** Maximum bytes of uploads in flight; senders beyond it wait. Defaults to 3 MiB. */
  inFlightBytes?: number | undefined
  idleMilliseconds: number
  /** Whether the parser thread may analyse batches itself while the index thread has a backlog. */
  analyses: boolean
  /** Makes a batch durable and searchable. It takes ownership of the buffers. */
  store: (batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<IngestResult>
  onRest: () => void
  onFailure: (error: Error) => void
}

/** The parser thread, and the files that it is parsing. */
export type FileIngests = AsyncDisposable & {
  open: OpenFileIngest
  pushed: IngestPushed
  readonly isRunning: boolean
  /** The number of open files. */
  readonly underWay: number
  call: LazyThread<ParseCalls>['call']
}

/** With `reportsMatches`, `onMatched` receives entries with matching patterns before they are stored; they are stored once it resolves. */
export type OpenFileIngest = (
  options: ParseOptions,
  onMatched?: (entries: MatchedEntry[]) => Promise<void>,
) => Promise<FileIngest>

/** Takes ownership of a pushed body, parses it and stores its entries; resolves when all of them are durable and searchable. */
export type IngestPushed = (body: Uint8Array<ArrayBuffer>, options: PushedOptions) => Promise<PushedResult>

type Upload = {
  duplicates: number
  stored: number
  onMatched: ((entries: MatchedEntry[]) => Promise<void>) | undefined
}

/** Files are parsed in a thread of their own, which starts with the first file and ends when idle; batches go to `store` as they are made. */
export const createFileIngests = ({ store, ...options }: FileIngestsOptions): FileIngests => {
  const gate = createGate(options.inFlightBytes ?? defaultInFlightBytes)
  const uploads = new Map<number, Upload>()
  let nextUpload = 1

  const backlog = createBacklog()
  const data: ParserOptions = { patterns: activePatterns(), analyses: options.analyses, backlog }
  const parse = createLazyThread<ParseCalls>({
    module: new URL('./parse-worker.ts', import.meta.url),
    data,
    own: {
      store: leavingBacklog(backlog, async (id, batch, analysis, matched) => {
        if (matched && matched.length > 0) await uploads.get(id)?.onMatched?.(matched)
        const result = await store(batch, analysis)
        const upload = uploads.get(id)
        if (!upload) return
        upload.duplicates += result.duplicates
        upload.stored += result.entries
      }),
      storePushed: leavingBacklog(backlog, store),
    } satisfies StoreCalls,
    idleMilliseconds: options.idleMilliseconds,
    mayRest: () => uploads.size === 0,
    lastCall: 'rest',
    onRest: options.onRest,
    onFailure: options.onFailure,
  })

  const open: OpenFileIngest = async (parseOptions, onMatched) => {
    const id = nextUpload++
    const upload: Upload = { duplicates: 0, stored: 0, onMatched }
    uploads.set(id, upload)
    let lines = 0
    let joined = 0
    let rejected = 0
    let formats: Record<string, number> = {}
    let failed: unknown
    /** Pending chunks, which may be stored after the end of the file. */
    const pushing = new Set<Promise<void>>()
    const note = (counts: ParseCounts) => {
      if (counts.lines < lines) return
      lines = counts.lines
      joined = counts.joined
      rejected = counts.rejected
      formats = counts.formats
    }
    const progress = (): UploadResult => ({
      counts: { lines, entries: upload.stored, duplicates: upload.duplicates, rejected, multiline_joined: joined },
      formats,
    })
    const leave = () => uploads.delete(id)
    await parse.call('open', [id, parseOptions, activeUserFormats()])
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
        // A thread that is ending drops the file anyway.
        if (parse.isRunning) await parse.call('drop', [id]).catch(() => undefined)
      },
    }
  }
  return {
    open,
    pushed: (body, pushedOptions) => parse.call('pushed', [body, pushedOptions, activeUserFormats()], [body.buffer]),
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
