import { patternsInForce } from '../patterns/in-force.ts'
import { transferablesOf } from '../segments/batch-analysis.ts'
import type { Catalogue } from '../segments/catalogue.ts'
import type { Rewrite, Rewritten } from '../segments/rewrite.ts'
import { type ShardLimits, shardLimits } from '../segments/shard.ts'
import { noTemplates, type TemplateStore } from '../templates/store.ts'
import { collectGarbage } from './collect-garbage.ts'
import { createFileIngests } from './file-ingest.ts'
import { createFollowers } from './followers.ts'
import type { Holdings, IndexCalls, IndexHostCalls, IndexOptions } from './index-calls.ts'
import { createLazyThread } from './lazy-thread.ts'
import { whileAwaited } from './leaving.ts'
import type { Arrival, LogEngine } from './log-engine.ts'
import { bytesOfEntries, createUnpacking } from './packed-entries.ts'
import { createQuestions } from './questions.ts'

export type LogEngineOptions = {
  /** Where templates are kept; without it they are found anew by each thread. */
  templates?: TemplateStore
  /** Where the append log and the segments lie. */
  directory: string
  catalogue: Catalogue
  limits?: ShardLimits
  /** Bytes of uploads that may be under way in all; a sender past it waits. */
  inFlightBytes?: number
  /** Nothing is taken while fewer bytes are free on the disk. */
  reservedBytes?: number
  /** Threads end after so long without work; 0 keeps them. */
  idleMilliseconds?: number
  onProblem: (problem: string) => void
  /** Notified of each batch of the append log that cannot be indexed and is left out; `onProblem` unless given. */
  onSetAside?: (problem: string) => void
}

/** What an engine that is alone on its files can do beyond the others. */
export type LocalLogEngine = LogEngine & {
  /** Goes through all that is stored and writes anew what has to change; see `segments/rewrite.ts`. */
  rewrite: (rewrite: Rewrite) => Promise<Rewritten>
  holdings: () => Promise<Holdings>
}

/** The engine of one process on local files. */
export const createLogEngine = (options: LogEngineOptions): LocalLogEngine => {
  const { directory, catalogue, templates = noTemplates, onProblem, onSetAside = onProblem } = options
  const idleMilliseconds = options.idleMilliseconds ?? 30_000
  const followers = createFollowers((isFollowed) => index.call('follow', [isFollowed]))
  const unpack = createUnpacking()

  /** What the threads and the uploads left in this one goes once both have ended. */
  const giveBack = () => {
    if (!index.isRunning && !files.isRunning) collectGarbage()
  }
  const indexOptions: IndexOptions = {
    patterns: patternsInForce(),
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
        followers.tell(arrival, 0)
      },
    } satisfies IndexHostCalls,
    idleMilliseconds,
    mayRest: () => followers.isEmpty && files.underWay === 0,
    lastCall: 'rest',
    onRest: giveBack,
    onFailure: (error) => {
      onProblem(`The indexing thread failed: ${error.message}`)
      followers.again()
    },
  })
  const files = createFileIngests({
    inFlightBytes: options.inFlightBytes,
    idleMilliseconds,
    analyses: true,
    keep: (batch, analysis) =>
      index.call('ingest', [batch, analysis], [batch, ...(analysis ? transferablesOf(analysis) : [])]),
    onRest: giveBack,
    onFailure: (error) => onProblem(`The parsing thread failed: ${error.message}`),
  })

  return {
    ingestFile: files.open,
    ingestPushed: files.pushed,
    ingest: (batch) => index.call('ingest', [batch], [batch]),
    ...createQuestions(index),
    deleteSource: (source, signal) => whileAwaited(signal, (left) => index.call('deleteSource', [source, left])),
    maintain: (care) => index.call('maintain', [care]),
    setSeverity: (entryId, severity, signal) =>
      whileAwaited(signal, (left) => index.call('setSeverity', [entryId, severity, left])),
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
