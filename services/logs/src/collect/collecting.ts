import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { Egress } from '@trellis/kit/egress'
import type { Leases } from '@trellis/kit/leases'
import { startRounds } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { OnMissing } from '../branches/note-missing.ts'
import type { LogsConfig } from '../config.ts'
import type { Tasks } from '../ingest/tasks.ts'
import type { LocalFiles } from '../local-files/local-files.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { type CheckpointTables, createCheckpoints } from './checkpoint-store.ts'
import { type CollectStateTables, listSourceRuns, readCollectState, saveCollectState } from './collect-state-store.ts'
import type { Collectors } from './collector.ts'
import { describeConfigured } from './configured.ts'
import { createRuns, type Runs } from './runs.ts'
import { createSourceLocks } from './source-locks.ts'
import type { ConfiguredSources } from './sources-file.ts'
import type { OutboxTables } from './submit/outbox-store.ts'
import { createSubmitter } from './submit/submitter.ts'
import { createWatcher, notWatched, type WatchState } from './watch/watcher.ts'

export type CollectingOptions = {
  config: Pick<LogsConfig, 'gleanIntervalSeconds' | 'watch' | 'submitEndpoint' | 'submitKey'>
  db: Kysely<CheckpointTables & CollectStateTables & OutboxTables>
  leases: Leases
  /** Whether other replicas collect from the same sources. */
  isShared: boolean
  engine: Pick<LogEngine, 'ingestFile' | 'ingest' | 'sources'>
  collectors: Collectors
  sources: ConfiguredSources
  localFiles: LocalFiles
  tasks: Pick<Tasks, 'begin'>
  bus: Pick<Bus, 'publish' | 'subscribe'>
  upstream: Pick<Egress, 'fetch'>
  now: () => number
  log: Log
}

/** Collects from configured sources: on request, on schedule, and live. */
export type Collecting = AsyncDisposable & {
  runs: Pick<Runs, 'begin'>
  configured: (
    signal: AbortSignal,
    onMissing: OnMissing,
  ) => Promise<{ sources: ReturnType<typeof describeConfigured>; problems: string[] }>
  watch: { state: () => Promise<WatchState>; reload: () => Promise<WatchState> }
}

/** Requests the replica that watches to read the configuration again. */
const reloads = topics({ family: 'logs.watch', ...jsonCodec<'reload'>(), keep: { events: 1, milliseconds: 60_000 } })(
  'all',
)

const watchState = 'watch'
/** A replica whose reported state is older than this is considered stopped. */
const silentMilliseconds = 30_000

type SharedWatchState = WatchState & { toldAt: number } // words: allowed

/** The maximum interval of checks whether a run is due; a shorter schedule is checked at its own interval. */
const dueCheckMilliseconds = 5_000

export const createCollecting = async (options: CollectingOptions): Promise<Collecting> => {
  const { config, db, leases, isShared, engine, collectors, sources, localFiles, tasks, bus, upstream, now, log } =
    options
  const ending = new AbortController()
  const locks = createSourceLocks({ leases: isShared ? leases : undefined })
  const checkpointsOf = (source: string) => createCheckpoints({ db, source, now })
  const { submitEndpoint: endpoint, submitKey: key } = config
  const submitter =
    endpoint === undefined ? undefined : createSubmitter({ db, target: { endpoint, key, upstream }, leases, log })
  const collecting = { engine, collectors, checkpointsOf, onMatched: submitter?.add }
  const runs = createRuns({
    db,
    collecting,
    sources,
    tasks,
    leases,
    locks,
    ...(submitter && { afterScheduled: submitter.push }),
    now,
    log,
  })
  const interval = config.gleanIntervalSeconds * 1000
  const scheduling = startRounds({
    milliseconds: Math.min(dueCheckMilliseconds, interval),
    signal: ending.signal,
    round: () => runs.runIfDue(interval),
    onFailure: (error) => log.error({ error }, 'the scheduled run over the sources failed'),
  })
  const watcher = !config.watch
    ? undefined
    : createWatcher({
        collecting,
        sources,
        localFiles,
        leases,
        locks,
        now,
        log,
        onState: async (state) => {
          if (isShared) await saveCollectState(db, watchState, { ...state, toldAt: now() } satisfies SharedWatchState) // words: allowed
        },
      })
  /** The state of a replica of an earlier version lacks what has been added since. */
  const state = async (): Promise<WatchState> => {
    const own = watcher?.state()
    if (own || !isShared) return own ?? notWatched
    const shared = (await readCollectState(db, watchState)) as SharedWatchState | undefined
    return shared && Math.abs(now() - shared.toldAt) < silentMilliseconds ? { ...notWatched, ...shared } : notWatched // words: allowed
  }
  /** With the problems of the sources file. */
  const reported = async (): Promise<WatchState> => {
    const [{ problems, ...rest }, file] = await Promise.all([state(), sources.read()])
    return { ...rest, problems: [...file.problems, ...problems] }
  }
  const receiveReloads = async () => {
    for await (const _ of bus.subscribe(reloads, { after: 'latest', signal: ending.signal })) await watcher?.reload()
  }
  const receiving = receiveReloads().catch((error: unknown) => {
    if (!ending.signal.aborted) log.error({ error }, 'requests to reload the sources cannot be received')
  })
  return {
    runs,
    configured: async (signal, onMissing) => {
      const [{ entries, problems }, counts, rows] = await Promise.all([
        sources.read(),
        engine.sources({}, signal, onMissing),
        listSourceRuns(db),
      ])
      return { sources: describeConfigured(entries, counts, rows), problems }
    },
    watch: {
      state: reported,
      reload: async () => {
        if (watcher?.state()) await watcher?.reload()
        else await bus.publish(reloads, 'reload')
        return reported()
      },
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('The log service is ending.'))
      await runs[Symbol.asyncDispose]()
      await watcher?.[Symbol.asyncDispose]()
      await Promise.all([scheduling, receiving])
    },
  }
}
