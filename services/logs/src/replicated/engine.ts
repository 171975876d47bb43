import { randomUUID } from 'node:crypto'
import type { Bus } from '@trellis/kit/bus'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { startRounds } from '@trellis/kit/lifecycle'
import { keyOfEntryId } from '../entries/identity.ts'
import { severityCode } from '../entries/severity-code.ts'
import { patternsInForce } from '../patterns/in-force.ts'
import type { ShardLimits } from '../segments/shard.ts'
import { shardLimits } from '../segments/shard.ts'
import { noTemplates, type TemplateStore } from '../templates/store.ts'
import { collectGarbage } from '../threads/collect-garbage.ts'
import { createFileIngests } from '../threads/file-ingest.ts'
import { createFollowers } from '../threads/followers.ts'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createQuestions } from '../threads/questions.ts'
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
  /** Where templates are kept; without it each replica finds its own. */
  templates?: TemplateStore
  files: FilesLocation
  /** Where copies of segments lie on this machine, and how many bytes of them; without it all reads go to the files. */
  local?: { directory: string; bytes: number }
  limits?: ShardLimits
  /** Bytes of uploads that this replica may have under way; a sender past it waits. */
  inFlightBytes?: number
  /** Messages of the append log that this replica may have in hand. */
  messagesInHand?: number
  /** The largest message that the bus takes. */
  messageBytes?: number
  /** How long a sender waits until its entries are searchable. */
  waitMilliseconds?: number
  /** How long a segment that was replaced can still be read by replicas that have not heard. */
  graceMilliseconds?: number
  /** How often what is not needed any more is removed. */
  upkeepMilliseconds?: number
  /** Threads end after so long without work; 0 keeps them. */
  idleMilliseconds?: number
  now?: () => number
  onProblem: (problem: string) => void
  /** Notified of each batch of the append log that cannot be indexed and is left out; `onProblem` unless given. */
  onSetAside?: (problem: string) => void
}

export type ReplicatedEngine = LogEngine & {
  /** The version of the catalogue that all committed so far is in. */
  version: () => Promise<number>
  /** What any replica committed after a version of the catalogue, as far as it can still be told: the newest of it. */
  replay: (after: number) => Promise<Replay>
}

/** Whoever merges has the task for so long after its last look. */
const leaseMilliseconds = 30_000

/**
 * The engine of one of any number of replicas that share nothing but bus, files and store. What a sender was told is stored survives any
 * of them, and is found through each of them at once.
 */
export const createReplicatedEngine = async (options: ReplicatedEngineOptions): Promise<ReplicatedEngine> => {
  const { bus, catalogue, templates = noTemplates, onProblem, now = Date.now, idleMilliseconds = 30_000 } = options
  const replica = randomUUID()
  const ending = new AbortController()
  const { signal } = ending
  const files = await openFiles(options.files, { recover: false })
  const followers = createFollowers((isFollowed) => index.call('follow', [isFollowed]))

  const giveBack = () => {
    if (!index.isRunning && !uploads.isRunning) collectGarbage()
  }
  const merges = createMergeSchedule(() => {
    index.call('merge', []).catch((error: unknown) => onProblem(`Segments could not be merged: ${String(error)}`))
  })
  const indexOptions: IndexThreadOptions = {
    patterns: patternsInForce(),
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
      settle: (burials) => catalogue.settle(burials),
      mayMerge: async () => {
        const isMine = await catalogue.leases.keep('merge', replica, leaseMilliseconds)
        // Whoever has the task may have looked before there was this much to do.
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
        followers.tell(arrival, version)
      },
    } satisfies IndexHostCalls,
    idleMilliseconds,
    mayRest: () => followers.isEmpty && uploads.underWay === 0,
    lastCall: 'rest',
    onRest: giveBack,
    onFailure: (error) => {
      onProblem(`The indexing thread failed: ${error.message}`)
      followers.again()
    },
  })
  const questions = createQuestions(index)
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
    // Whoever takes the message finds out what it says.
    analyses: false,
    keep: (batch) => sender.send(batch),
    onRest: giveBack,
    onFailure: (error) => onProblem(`The parsing thread failed: ${error.message}`),
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
  const keepingUp = startRounds({
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
    const counts = await questions.sources({ source }, left)
    const entries = counts.reduce((sum, count) => sum + count.entries, 0)
    if (entries === 0) return 0
    await catalogue.bury(source, left)
    announce()
    await index.call('forgetTemplates', [])
    return entries
  }
  const setSeverity: LogEngine['setSeverity'] = async (entryId, severity, left) => {
    for (;;) {
      const version = await index.call('version', [])
      const entry = await questions.find(entryId, left)
      if (!entry) return undefined
      const override = {
        key: keyOfEntryId(entryId),
        sourceId: entry.origin.sourceId,
        time: entry.effectiveTime,
        severity: severity === null ? 0 : severityCode[severity],
      }
      // Its source may be deleted while it is looked for.
      if (!(await catalogue.override(override, version, left))) continue
      announce()
      return { ...entry, severity }
    }
  }
  const maintain: LogEngine['maintain'] = async (care) => {
    // Should it be lost, two do the same, and one of them finds it done.
    await using lease = await catalogue.leases.take('maintenance', signal)
    if (!lease) return undefined
    const freed = await index.call('maintain', [care])
    if (care.isThorough) await upkeep.run()
    return freed
  }
  return {
    ingestFile: uploads.open,
    ingestPushed: uploads.pushed,
    ingest: sender.send,
    ...questions,
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
      ending.abort(new Error('The log engine is ending.'))
      await Promise.all([indexing, watching, keepingUp.ended])
      await index[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
    },
  }
}
