import type { HeldLease, Leases } from '@trellis/kit/leases'
import { createSerialQueue, startRounds } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { LocalFiles } from '../../local-files/local-files.ts'
import { collectSource, type SourceCollecting } from '../collect-source.ts'
import { collectorFor } from '../collectors.ts'
import { createKeeper } from '../keep-chunks.ts'
import type { SourceEntry } from '../source-entry.ts'
import type { SourceLocks } from '../source-locks.ts'
import type { ConfiguredSources } from '../sources-file.ts'
import { type SourceWatch, type WatchLimits, type WatchOptions, watchLimits } from './source-watch.ts'
import { watchFiles } from './watch-files.ts'
import { watchFollowed } from './watch-followed.ts'

export type WatchState = { running: boolean; sources: string[]; buffered: number; lastFlushAt: string | null }

export type WatcherOptions = {
  collecting: SourceCollecting
  sources: ConfiguredSources
  localFiles: LocalFiles
  leases: Leases
  locks: SourceLocks
  limits?: WatchLimits
  now: () => number
  log: Log
  /** Told of what the replica that watches does, so that the others can tell it, too. */
  onState: (state: WatchState) => Promise<unknown>
}

/** Tails configured local sources. Of all replicas one does it; when that one ends, another does. */
export type Watcher = AsyncDisposable & {
  /** What this replica does; undefined while another watches. */
  state: () => WatchState | undefined
  /** Reads the configuration again; resolves when what it says is watched. Does nothing while another replica watches. */
  reload: () => Promise<void>
}

/** Following gives a source up for a moment after so long, so that a run of another replica gets its turn. */
const stretchMilliseconds = 60_000
/** Whether the configuration has changed, and whether the watching replica is still there, is asked so often. */
const askMilliseconds = 5_000

type Session = { entries: SourceEntry[]; signature: string; watches: SourceWatch[]; closing: AbortController }

/** Sources of other hosts are collected by runs. */
const isWatched = (entry: SourceEntry): boolean => entry.enabled && entry.transport === 'local'

export const createWatcher = (options: WatcherOptions): Watcher => {
  const { collecting, sources, localFiles, leases, locks, limits = watchLimits, now, log, onState } = options
  const ending = new AbortController()
  let lease: HeldLease | undefined
  let session: Session | undefined
  let lastFlushAt: string | null = null
  const serialQueue = createSerialQueue()

  const watchSource = (source: SourceEntry, closing: AbortSignal): SourceWatch | undefined => {
    const collector = collectorFor(collecting.collectors, source)
    if (!collector) return undefined
    const common: WatchOptions = {
      source,
      limits,
      closing,
      onStored: () => {
        lastFlushAt = new Date(now()).toISOString()
      },
      onProblem: (error) => log.warn({ source: source.id, error }, 'a source cannot be watched for now'),
    }
    const { follow } = collector
    if (follow) {
      return watchFollowed({
        ...common,
        stretch: (signal, work) =>
          locks.use(source.id, { signal, yieldsAfter: stretchMilliseconds }, (held) => {
            const checkpoints = collecting.checkpointsOf(source.id)
            const keeper = createKeeper({
              engine: collecting.engine,
              source,
              checkpoints,
              onMatched: collecting.onMatched,
            })
            const onProblem = (problem: string) =>
              log.warn({ source: source.id, problem }, 'a source cannot all be read')
            return work({ keeper, chunks: follow({ checkpoints, force: false, signal: held, onProblem }) })
          }),
      })
    }
    return source.transport === 'local' && source.gleanType === 'file'
      ? watchFiles({
          ...common,
          source,
          access: localFiles.for(source.addedBy),
          store: (only, signal) =>
            locks.use(source.id, { signal }, async (held) => {
              await collectSource(collecting, { source, force: false, signal: held, only })
            }),
        })
      : undefined
  }
  const endSession = async () => {
    const ended = session
    ended?.closing.abort()
    await Promise.all(ended?.watches.map(({ done }) => done) ?? [])
    if (session === ended) session = undefined
  }
  const startSession = async () => {
    const { entries, isReadable } = await sources.read()
    // A file that is being edited says nothing; what was watched goes on.
    if (!isReadable && session) return
    const watched = entries.filter(isWatched)
    const signature = JSON.stringify(watched)
    if (session?.signature === signature) return
    await endSession()
    const closing = new AbortController()
    const begun = watched.map((entry) => ({ entry, watch: watchSource(entry, closing.signal) }))
    session = {
      closing,
      signature,
      entries: begun.filter(({ watch }) => watch !== undefined).map(({ entry }) => entry),
      watches: begun.flatMap(({ watch }) => watch ?? []),
    }
  }
  const state = (): WatchState | undefined =>
    session && {
      running: true,
      sources: session.entries.map(({ id }) => id),
      buffered: session.watches.reduce((sum, { buffered }) => sum + buffered, 0),
      lastFlushAt,
    }
  const dropLease = async () => {
    const dropped = lease
    lease = undefined
    await dropped?.[Symbol.asyncDispose]()
  }
  const round = async () => {
    if (ending.signal.aborted) return
    if (lease?.signal.aborted) {
      await endSession()
      await dropLease()
    }
    lease ??= await leases.take('watch', ending.signal)
    if (!lease) return
    await startSession()
    const told = state()
    if (told) await onState(told)
  }
  const onFailure = (error: unknown) => {
    if (!ending.signal.aborted) log.error({ error }, 'sources cannot be watched for now')
  }
  const rounds = startRounds({
    milliseconds: askMilliseconds,
    signal: ending.signal,
    round: () => serialQueue.run(round),
    onFailure,
  })
  serialQueue.run(round).catch(onFailure)
  return {
    state,
    reload: () => serialQueue.run(round),
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('The log service is ending.'))
      await rounds.ended
      await serialQueue.drain()
      await endSession()
      if (lease) await onState({ running: false, sources: [], buffered: 0, lastFlushAt }).catch(() => undefined)
      await dropLease()
    },
  }
}
