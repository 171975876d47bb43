import { messageOf } from '@trellis/kit/errors'
import type { HeldLease, Leases } from '@trellis/kit/leases'
import { createSerialQueue, startRounds } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { LocalFiles } from '../../local-files/local-files.ts'
import { createChunkWriter } from '../chunk-writer.ts'
import { collectSource, type SourceCollecting } from '../collect-source.ts'
import { collectorFor } from '../collectors.ts'
import type { SourceEntry } from '../source-entry.ts'
import type { SourceLocks } from '../source-locks.ts'
import type { ConfiguredSources } from '../sources-file.ts'
import { type SourceWatch, type WatchLimits, type WatchOptions, watchLimits } from './source-watch.ts'
import { watchFiles } from './watch-files.ts'
import { watchFollowed } from './watch-followed.ts'

export type WatchState = {
  running: boolean
  sources: string[]
  buffered: number
  lastFlushAt: string | null
  /** Why sources cannot be followed at the moment, as sentences. */
  problems: string[]
}

/** The state while no replica watches. */
export const notWatched: WatchState = { running: false, sources: [], buffered: 0, lastFlushAt: null, problems: [] }

export type WatcherOptions = {
  collecting: SourceCollecting
  sources: ConfiguredSources
  localFiles: LocalFiles
  leases: Leases
  locks: SourceLocks
  limits?: WatchLimits
  now: () => number
  log: Log
  /** Receives the state of the replica that watches, so that the others can report it, too. */
  onState: (state: WatchState) => Promise<unknown>
}

/** Tails configured local sources. One of the replicas does it; when that one ends, another takes over. */
export type Watcher = AsyncDisposable & {
  /** The state of this replica; undefined while another watches. */
  state: () => WatchState | undefined
  /** Reads the configuration again; resolves when its sources are watched. Does nothing while another replica watches. */
  reload: () => Promise<void>
}

/** Following releases a source for a moment after this time, so that a run of another replica can take it. */
const followMilliseconds = 60_000
/** The interval of checks whether the configuration has changed, and whether the watching replica is still alive. */
const checkMilliseconds = 5_000

type Session = {
  entries: SourceEntry[]
  signature: string
  watches: SourceWatch[]
  closing: AbortController
  /** Why sources cannot be followed at the moment, by their ids. */
  problems: Map<string, string>
}

/** Sources of other hosts are collected by runs. */
const isWatched = (entry: SourceEntry): boolean => entry.enabled && entry.transport === 'local'

export const createWatcher = (options: WatcherOptions): Watcher => {
  const { collecting, sources, localFiles, leases, locks, limits = watchLimits, now, log, onState } = options
  const ending = new AbortController()
  let lease: HeldLease | undefined
  let session: Session | undefined
  let lastFlushAt: string | null = null
  const serialQueue = createSerialQueue()

  const watchSource = (
    source: SourceEntry,
    { closing, problems }: { closing: AbortSignal; problems: Map<string, string> },
  ): SourceWatch | undefined => {
    const collector = collectorFor(collecting.collectors, source)
    if (!collector) return undefined
    const common: WatchOptions = {
      source,
      limits,
      closing,
      onStored: () => {
        lastFlushAt = new Date(now()).toISOString()
      },
      onProblem: (error) => {
        const problem = `The source "${source.id}" cannot be watched at the moment: ${messageOf(error)}`
        // It is tried again and again.
        if (problems.get(source.id) !== problem)
          log.warn({ source: source.id, error }, 'a source cannot be watched at the moment')
        problems.set(source.id, problem)
      },
      onFollowed: () => {
        if (problems.delete(source.id)) log.info({ source: source.id }, 'a source is watched again')
      },
    }
    const { follow } = collector
    if (follow) {
      return watchFollowed({
        ...common,
        hold: (signal, work) =>
          locks.use(source.id, { signal, yieldsAfter: followMilliseconds }, (held) => {
            const checkpoints = collecting.checkpointsOf(source.id)
            const writer = createChunkWriter({
              engine: collecting.engine,
              source,
              checkpoints,
              onMatched: collecting.onMatched,
            })
            const onProblem = (problem: string) =>
              log.warn({ source: source.id, problem }, 'a source cannot be read completely')
            return work({ writer, chunks: follow({ checkpoints, force: false, signal: held, onProblem }) })
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
    // A file that is being edited may be unreadable; its previous sources remain watched.
    if (!isReadable && session) return
    const watched = entries.filter(isWatched)
    const signature = JSON.stringify(watched)
    if (session?.signature === signature) return
    await endSession()
    const closing = new AbortController()
    const problems = new Map<string, string>()
    const begun = watched.map((entry) => ({ entry, watch: watchSource(entry, { closing: closing.signal, problems }) }))
    session = {
      closing,
      problems,
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
      problems: [...session.problems.values()],
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
    const current = state()
    if (current) await onState(current)
  }
  const onFailure = (error: unknown) => {
    if (!ending.signal.aborted) log.error({ error }, 'sources cannot be watched at the moment')
  }
  const rounds = startRounds({
    milliseconds: checkMilliseconds,
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
      if (lease) await onState({ ...notWatched, lastFlushAt }).catch(() => undefined)
      await dropLease()
    },
  }
}
