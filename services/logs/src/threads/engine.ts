import { collectGarbage } from '@trellis/kit/memory'
import { activePatterns } from '../patterns/active-patterns.ts'
import { transferablesOf } from '../segments/batch-analysis.ts'
import type { Catalogue } from '../segments/catalogue.ts'
import type { Rewrite, Rewritten } from '../segments/rewrite.ts'
import { type ShardLimits, shardLimits } from '../segments/shard.ts'
import { noTemplates, type TemplateStore } from '../templates/store.ts'
import { createFileIngests } from './file-ingest.ts'
import { createFollowers } from './followers.ts'
import type { Holdings, IndexCalls, IndexHostCalls, IndexOptions } from './index-calls.ts'
import { createLazyThread } from './lazy-thread.ts'
import type { Arrival, LogEngine } from './log-engine.ts'
import { bytesOfEntries, createUnpacking } from './packed-entries.ts'
import { createQueries } from './queries.ts'
import { withSharedAbort } from './shared-abort.ts'

export type LogEngineOptions = {
  /** Shared storage of templates; without it each thread derives its own. */
  templates?: TemplateStore
  /** The folder of the append log and the segments. */
  directory: string
  catalogue: Catalogue
  limits?: ShardLimits
  /** Maximum bytes of uploads in flight; senders beyond it wait. */
  inFlightBytes?: number
  /** Writes are rejected while fewer bytes are free on the disk. */
  reservedBytes?: number
  /** Threads end after this time without work; 0: never. */
  idleMilliseconds?: number
  onProblem: (problem: string) => void
  /** Called for each batch of the append log that cannot be indexed and is set aside; defaults to `onProblem`. */
  onSetAside?: (problem: string) => void
}

/** Operations that only an engine with exclusive files supports. */
export type LocalLogEngine = LogEngine & {
  /** Goes through all stored entries and rewrites those that must change; see `segments/rewrite.ts`. */
  rewrite: (rewrite: Rewrite) => Promise<Rewritten>
  holdings: () => Promise<Holdings>
}

/** The engine of one process on local files. */
export const createLogEngine = (options: LogEngineOptions): LocalLogEngine => {
  const { directory, catalogue, templates = noTemplates, onProblem, onSetAside = onProblem } = options
  const idleMilliseconds = options.idleMilliseconds ?? 30_000
  const followers = createFollowers((isFollowed) => index.call('follow', [isFollowed]))
  const unpack = createUnpacking()

  /** Collects the garbage that the threads and uploads left in this thread, once both threads have ended. */
  const collectIfIdle = () => {
    if (!index.isRunning && !files.isRunning) collectGarbage()
  }
  const indexOptions: IndexOptions = {
    patterns: activePatterns(),
    directory,
    limits: options.limits ?? shardLimits,
    reservedBytes: options.reservedBytes ?? 0,
  }
  const index = createLazyThread<IndexCalls>({
    module: new URL('./index-worker.ts', import.meta.url),
    data: indexOptions,
    own: {
      readCatalogue: () => catalogue.read(),
      changeCatalogue: (change) => catalogue.change(change),
      damaged: (problem) => onProblem(problem),
      setAside: (problem) => onSetAside(problem),
      templateChanges: templates.changes,
      saveTemplates: templates.save,
      clearTemplates: templates.clear,
      pruneTemplates: templates.prune,
      arrived: (packed, missed) => {
        const arrival: Arrival = {
          get entries() {
            return unpack(packed)
          },
          missed,
          bytes: bytesOfEntries(packed),
        }
        followers.notify(arrival, 0)
      },
      deleted: followers.notifyOfDeletion,
    } satisfies IndexHostCalls,
    idleMilliseconds,
    mayRest: () => followers.isEmpty && files.underWay === 0,
    lastCall: 'rest',
    onRest: collectIfIdle,
    onFailure: (error) => {
      onProblem(`The index thread failed: ${error.message}`)
      followers.resubscribe()
    },
  })
  const files = createFileIngests({
    inFlightBytes: options.inFlightBytes,
    idleMilliseconds,
    analyses: true,
    store: (batch, analysis) =>
      index.call('ingest', [batch, analysis], [batch, ...(analysis ? transferablesOf(analysis) : [])]),
    onRest: collectIfIdle,
    onFailure: (error) => onProblem(`The parser thread failed: ${error.message}`),
  })

  return {
    ingestFile: files.open,
    ingestPushed: files.pushed,
    ingest: (batch) => index.call('ingest', [batch], [batch]),
    ...createQueries(index),
    deleteSource: (source, signal) => withSharedAbort(signal, (left) => index.call('deleteSource', [source, left])),
    maintain: (request) => index.call('maintain', [request]),
    setSeverity: (entryId, severity, signal) =>
      withSharedAbort(signal, (left) => index.call('setSeverity', [entryId, severity, left])),
    follow: followers.follow,
    flush: () => index.call('flush', []),
    rewrite: (rewrite) => index.call('rewrite', [rewrite]),
    holdings: () => index.call('holdings', []),
    async [Symbol.asyncDispose]() {
      await files[Symbol.asyncDispose]()
      await index[Symbol.asyncDispose]()
    },
  }
}
