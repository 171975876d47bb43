import { randomUUID } from 'node:crypto'
import type { Bus } from '@trellis/kit/bus'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { startRounds } from '@trellis/kit/lifecycle'
import { collectGarbage } from '@trellis/kit/memory'
import { keyOfEntryId } from '../entries/identity.ts'
import { severityCode } from '../entries/severity-code.ts'
import { activePatterns } from '../patterns/active-patterns.ts'
import type { ShardLimits } from '../segments/shard.ts'
import { shardLimits } from '../segments/shard.ts'
import { noTemplates, type TemplateStore } from '../templates/store.ts'
import { createFileIngests } from '../threads/file-ingest.ts'
import { createFollowers } from '../threads/followers.ts'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createQueries } from '../threads/queries.ts'
import { bytesOfArrived } from './arrivals.ts'
import type { IndexHostCalls, IndexThreadCalls, IndexThreadOptions, Replay } from './index-calls.ts'
import { startIndexing } from './indexing.ts'
import { createMergeSchedule } from './merge-schedule.ts'
import { catalogueChanges } from './message.ts'
import { createSender } from './sender.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'
import { createUpkeep } from './upkeep.ts'
import { watchCatalogue } from './watch-catalogue.ts'

export type ReplicatedEngineOptions = {
  bus: Bus
  catalogue: SharedCatalogue
  /** Shared storage of templates; without it each replica derives its own. */
  templates?: TemplateStore
  files: FilesLocation
  /** The folder and maximum bytes of local copies of segments; without it all reads go to the shared files. */
  local?: { directory: string; bytes: number }
  limits?: ShardLimits
  /** Maximum bytes of uploads in flight on this replica; senders beyond it wait. */
  inFlightBytes?: number
  /** Maximum number of messages of the append log that this replica processes at a time. */
  messagesInHand?: number
  /** The maximum size of a message on the bus. */
  messageBytes?: number
  /** How long a sender waits until its entries are searchable. */
  waitMilliseconds?: number
  /** How long a replaced segment stays readable for replicas that have not received the change. */
  graceMilliseconds?: number
  /** The interval between two rounds of removing obsolete files and rows. */
  upkeepMilliseconds?: number
  /** Threads end after this time without work; 0: never. */
  idleMilliseconds?: number
  now?: () => number
  onProblem: (problem: string) => void
  /** Called for each batch of the append log that cannot be indexed and is set aside; defaults to `onProblem`. */
  onSetAside?: (problem: string) => void
}

export type ReplicatedEngine = LogEngine & {
  /** The version of the catalogue that includes all commits so far. */
  version: () => Promise<number>
  /** Entries that any replica committed after a version of the catalogue; only the newest of them if there are many. */
  replay: (after: number) => Promise<Replay>
}

/** Duration of the merge lease, which each merge renews. */
const leaseMilliseconds = 30_000

/**
 * The engine of one of several replicas that share only the bus, files and store. Acknowledged entries survive the loss of any replica and are
 * immediately searchable on all.
 */
export const createReplicatedEngine = async (options: ReplicatedEngineOptions): Promise<ReplicatedEngine> => {
  const { bus, catalogue, templates = noTemplates, onProblem, now = Date.now, idleMilliseconds = 30_000 } = options
  const replica = randomUUID()
  const ending = new AbortController()
  const { signal } = ending
  const files = await openFiles(options.files, { recover: false })
  const followers = createFollowers((isFollowed) => index.call('follow', [isFollowed]))

  const collectIfIdle = () => {
    if (!index.isRunning && !uploads.isRunning) collectGarbage()
  }
  const merges = createMergeSchedule(() => {
    index.call('merge', []).catch((error: unknown) => onProblem(`Segments could not be merged: ${String(error)}`))
  })
  const indexOptions: IndexThreadOptions = {
    patterns: activePatterns(),
    files: options.files,
    local: options.local,
    limits: options.limits ?? shardLimits,
  }
  const index = createLazyThread<IndexThreadCalls>({
    module: new URL('./index-worker.ts', import.meta.url),
    data: indexOptions,
    own: {
      changes: (after) => catalogue.changes(after),
      commit: (change) => catalogue.commit(change),
      mergeSegments: (change) => catalogue.merge(change),
      expireTombstones: (tombstones) => catalogue.expireTombstones(tombstones),
      mayMerge: async () => {
        const isMine = await catalogue.leases.keep('merge', replica, leaseMilliseconds)
        // The replica with the lease may have looked before there was this much to merge.
        if (!isMine) merges.taken(leaseMilliseconds)
        return isMine
      },
      changed: () => announce(),
      damaged: (problem) => onProblem(problem),
      templateChanges: templates.changes,
      saveTemplates: templates.save,
      clearTemplates: templates.clear,
      pruneTemplates: templates.prune,
      arrived: ({ version, ...arrived }) => {
        const arrival = { ...arrived, bytes: bytesOfArrived(arrived) }
        followers.notify(arrival, version)
      },
    } satisfies IndexHostCalls,
    idleMilliseconds,
    mayRest: () => followers.isEmpty && uploads.underWay === 0,
    lastCall: 'rest',
    onRest: collectIfIdle,
    onFailure: (error) => {
      onProblem(`The index thread failed: ${error.message}`)
      followers.resubscribe()
    },
  })
  const queries = createQueries(index)
  const sender = createSender({
    bus,
    files,
    catalogue,
    replica,
    messageBytes: options.messageBytes ?? 900_000,
    waitMilliseconds: options.waitMilliseconds ?? 30_000,
    signal,
  })
  const uploads = createFileIngests({
    inFlightBytes: options.inFlightBytes,
    idleMilliseconds,
    // The replica that takes the message analyses it.
    analyses: false,
    store: (batch) => sender.send(batch),
    onRest: collectIfIdle,
    onFailure: (error) => onProblem(`The parser thread failed: ${error.message}`),
  })

  const indexing = startIndexing({
    bus,
    files,
    catalogue,
    take: (message, batch) => index.call('take', [message, batch], [batch]),
    settle: sender.settle,
    concurrency: options.messagesInHand ?? 32,
    onProblem,
    onSetAside: options.onSetAside ?? onProblem,
    signal,
  })
  const watching = watchCatalogue({
    bus,
    replica,
    refresh: () => index.call('refresh', []),
    isAwake: () => index.isRunning,
    isFollowed: () => !followers.isEmpty,
    signal,
  })
  const { graceMilliseconds = 10 * 60_000, upkeepMilliseconds = 60_000 } = options
  const upkeep = createUpkeep({ catalogue, files, replica, graceMilliseconds, now })
  const upkeepRounds = startRounds({
    milliseconds: upkeepMilliseconds,
    signal,
    round: upkeep.run,
    onFailure: (error) => onProblem(`Old segments could not be removed: ${String(error)}`),
  })

  const announce = () => {
    bus.publish(catalogueChanges, { by: replica }).catch(() => undefined)
    merges.committed()
  }
  const deleteSource: LogEngine['deleteSource'] = async (source, left) => {
    const counts = await queries.sources({ source }, left)
    const entries = counts.reduce((sum, count) => sum + count.entries, 0)
    if (entries === 0) return 0
    await catalogue.deleteSource(source, left)
    announce()
    await index.call('pruneTemplates', [])
    return entries
  }
  const setSeverity: LogEngine['setSeverity'] = async (entryId, severity, left) => {
    for (;;) {
      const version = await index.call('version', [])
      const entry = await queries.find(entryId, left)
      if (!entry) return undefined
      const override = {
        key: keyOfEntryId(entryId),
        sourceId: entry.origin.sourceId,
        time: entry.effectiveTime,
        severity: severity === null ? 0 : severityCode[severity],
      }
      // The source may be deleted during the lookup.
      if (!(await catalogue.override(override, version, left))) continue
      announce()
      return { ...entry, severity }
    }
  }
  const maintain: LogEngine['maintain'] = async (request) => {
    // If the lease is lost, two replicas do the same work, and one of them finds it done.
    await using lease = await catalogue.leases.take('maintenance', signal)
    if (!lease) return undefined
    const freed = await index.call('maintain', [request])
    if (request.isThorough) await upkeep.run()
    return freed
  }
  return {
    ingestFile: uploads.open,
    ingestPushed: uploads.pushed,
    ingest: sender.send,
    ...queries,
    deleteSource,
    setSeverity,
    maintain,
    follow: followers.follow,
    version: () => index.call('version', []),
    replay: (after) => index.call('replay', [after]),
    flush: () => index.call('settled', []),
    async [Symbol.asyncDispose]() {
      merges[Symbol.dispose]()
      await uploads[Symbol.asyncDispose]()
      ending.abort(new Error('The log engine is shutting down.'))
      await Promise.all([indexing, watching, upkeepRounds.ended])
      await index[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
    },
  }
}
