import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { transferablesOf } from '../segments/batch-analysis.ts'
import type { Catalogue } from '../segments/catalogue.ts'
import { type IngestResult, type ShardLimits, shardLimits } from '../segments/shard.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { IndexCalls, IndexHostCalls, IndexOptions, SourceCount } from './index-calls.ts'
import { createLazyThread } from './lazy-thread.ts'
import type { KeepCalls, ParseCalls, ParseOptions } from './parse-calls.ts'

export type UploadCounts = {
  /** Lines that are not blank; the other counts add up to it. */
  lines: number
  entries: number
  duplicates: number
  rejected: number
  multiline_joined: number
}
export type UploadResult = { counts: UploadCounts; formats: Record<string, number> }

/** A file on its way in. Not to be used by two at once. */
export type FileIngest = {
  /**
   * Hands over a chunk, which is no longer the caller's. Resolves when there is room for more, which is how a slow disk slows a sender.
   * What came before is kept even when the file never ends.
   */
  push: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Resolves when all of the file is durable and searchable. */
  end: () => Promise<UploadResult>
  /** Lets go of a file that will not end. */
  drop: () => Promise<void>
  /** Counts of what is durable. */
  progress: () => UploadResult
}

export type LogEngineOptions = {
  /** Where the append log and the segments lie. */
  directory: string
  catalogue: Catalogue
  limits?: ShardLimits
  /** Bytes of uploads that may be under way in all; a sender past it waits. */
  inFlightBytes?: number
  /** Threads end after so long without work; 0 keeps them. */
  idleMilliseconds?: number
  onProblem: (problem: string) => void
}

/** Parsing and indexing in threads of their own, which start when they are needed. */
export type LogEngine = AsyncDisposable & {
  ingestFile: (options: ParseOptions) => Promise<FileIngest>
  ingest: (batch: ArrayBuffer) => Promise<IngestResult>
  /** Stops in its thread, between segments, when the signal says so; rejects with the signal's reason then. */
  search: (request: SearchRequest, signal?: AbortSignal) => Promise<SearchResult>
  find: (entryId: string) => Promise<StoredEntry | undefined>
  sources: (filters: Filters) => Promise<SourceCount[]>
  /** Tells of entries as they become durable, until the returned function is called. */
  follow: (listener: (entries: StoredEntry[], missed: number) => void) => Promise<() => Promise<void>>
  /** Writes what is in memory to a segment. */
  flush: () => Promise<void>
}

const defaultInFlightBytes = 8 * 1024 * 1024

type Upload = { duplicates: number; kept: number }

export const createLogEngine = (options: LogEngineOptions): LogEngine => {
  const { directory, catalogue, onProblem } = options
  const idleMilliseconds = options.idleMilliseconds ?? 30_000
  const listeners = new Set<(entries: StoredEntry[], missed: number) => void>()
  const uploads = new Map<number, Upload>()
  const gate = createGate(options.inFlightBytes ?? defaultInFlightBytes)
  let nextUpload = 1

  /** What the threads and the uploads left in this one goes once both have ended. */
  const giveBack = () => {
    if (!index.isRunning && !parse.isRunning) collectGarbage()
  }
  const indexOptions: IndexOptions = { directory, limits: options.limits ?? shardLimits }
  const index = createLazyThread<IndexCalls>({
    module: new URL('./index-worker.ts', import.meta.url),
    data: indexOptions,
    own: {
      listSegments: () => catalogue.list(),
      replaceSegments: (change) => catalogue.replace(change),
      damaged: (problem) => onProblem(problem),
      arrived: (entries, missed) => {
        for (const listener of listeners) listener(entries, missed)
      },
    } satisfies IndexHostCalls,
    idleMilliseconds,
    mayRest: () => listeners.size === 0 && uploads.size === 0,
    lastCall: 'rest',
    onRest: giveBack,
    onFailure: (error) => onProblem(`The indexing thread failed: ${error.message}`),
  })
  const parse = createLazyThread<ParseCalls>({
    module: new URL('./parse-worker.ts', import.meta.url),
    own: {
      keep: async (id, batch, analysis) => {
        const moved = analysis ? transferablesOf(analysis) : []
        const result = await index.call('ingest', [batch, analysis], [batch, ...moved])
        const upload = uploads.get(id)
        if (!upload) return
        upload.duplicates += result.duplicates
        upload.kept += result.entries
      },
    } satisfies KeepCalls,
    idleMilliseconds,
    mayRest: () => uploads.size === 0,
    lastCall: 'rest',
    onRest: giveBack,
    onFailure: (error) => onProblem(`The parsing thread failed: ${error.message}`),
  })

  const ingestFile = async (parseOptions: ParseOptions): Promise<FileIngest> => {
    const id = nextUpload++
    const upload: Upload = { duplicates: 0, kept: 0 }
    uploads.set(id, upload)
    let lines = 0
    let joined = 0
    let formats: Record<string, number> = {}
    let failed: unknown
    const note = (counts: { lines: number; joined: number; formats: Record<string, number> }) => {
      lines = counts.lines
      joined = counts.joined
      formats = counts.formats
    }
    const progress = (): UploadResult => ({
      counts: { lines, entries: upload.kept, duplicates: upload.duplicates, rejected: 0, multiline_joined: joined },
      formats,
    })
    const leave = () => uploads.delete(id)
    await parse.call('open', [id, parseOptions])
    return {
      progress,
      push: async (chunk) => {
        if (failed !== undefined) throw failed
        const bytes = chunk.byteLength
        await gate.enter(bytes)
        const whole = chunk.byteLength === chunk.buffer.byteLength
        const sent = whole ? chunk : Uint8Array.from(chunk)
        parse
          .call('push', [id, sent], [sent.buffer])
          .then(note, (error: unknown) => {
            failed ??= error
          })
          .finally(() => gate.leave(bytes))
      },
      end: async () => {
        try {
          const counts = await parse.call('end', [id])
          if (failed !== undefined) throw failed
          note(counts)
          return progress()
        } finally {
          leave()
        }
      },
      drop: async () => {
        leave()
        if (parse.isRunning) await parse.call('drop', [id])
      },
    }
  }
  const search: LogEngine['search'] = async (request, signal) => {
    if (!signal) return index.call('search', [request])
    signal.throwIfAborted()
    // Shared memory, since the thread reads no messages while it searches.
    const left = new Int32Array(new SharedArrayBuffer(4))
    const leave = () => void Atomics.store(left, 0, 1)
    signal.addEventListener('abort', leave)
    try {
      return await index.call('search', [request, left])
    } finally {
      signal.removeEventListener('abort', leave)
      signal.throwIfAborted()
    }
  }
  const follow: LogEngine['follow'] = async (listener) => {
    listeners.add(listener)
    await index.call('follow', [true])
    return async () => {
      listeners.delete(listener)
      if (listeners.size === 0) await index.call('follow', [false])
    }
  }
  return {
    ingestFile,
    ingest: (batch) => index.call('ingest', [batch], [batch]),
    search,
    find: (entryId) => index.call('find', [entryId]),
    sources: (filters) => index.call('sources', [filters]),
    follow,
    flush: () => index.call('flush', []),
    async [Symbol.asyncDispose]() {
      await parse[Symbol.asyncDispose]()
      await index[Symbol.asyncDispose]()
    },
  }
}

/** Lets bytes in while there is room; one that is larger than all the room goes in alone. First come, first in. */
const createGate = (room: number) => {
  let inside = 0
  const queue: { bytes: number; open: () => void }[] = []
  const admit = () => {
    for (let next = queue[0]; next && (inside === 0 || inside + next.bytes <= room); next = queue[0]) {
      queue.shift()
      inside += next.bytes
      next.open()
    }
  }
  return {
    enter: (bytes: number) =>
      new Promise<void>((resolve) => {
        queue.push({ bytes, open: resolve })
        admit()
      }),
    leave: (bytes: number) => {
      inside -= bytes
      admit()
    },
  }
}
