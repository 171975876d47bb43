import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import { inRounds } from '../cluster/rounds.ts'
import type { SharedCatalogueTables } from '../cluster/shared-catalogue-tables.ts'
import type { LogsConfig } from '../config.ts'
import type { Tasks } from '../ingest/tasks.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { type CheckpointTables, createCheckpoints } from './checkpoint-store.ts'
import { type CollectStateTables, listSourceRuns } from './collect-state-store.ts'
import type { Collectors } from './collector.ts'
import { describeConfigured } from './configured.ts'
import { createLeases } from './leases.ts'
import { createRuns, type Runs } from './runs.ts'
import { createSourceLocks } from './source-locks.ts'
import type { ConfiguredSources } from './sources-file.ts'

export type CollectingOptions = {
  config: Pick<LogsConfig, 'gleanIntervalSeconds'>
  db: Kysely<CheckpointTables & CollectStateTables & SharedCatalogueTables>
  /** Whether other replicas collect from the same sources. */
  isShared: boolean
  engine: Pick<LogEngine, 'ingestFile' | 'sources'>
  collectors: Collectors
  sources: ConfiguredSources
  tasks: Pick<Tasks, 'begin'>
  now: () => number
  log: Log
}

/** Collects from configured sources: when asked, on schedule, and as lines come. */
export type Collecting = AsyncDisposable & {
  runs: Pick<Runs, 'begin'>
  configured: (signal: AbortSignal) => Promise<{ sources: ReturnType<typeof describeConfigured>; problems: string[] }>
}

/** How often it is asked whether a run is due; the interval itself where that is shorter. */
const askMilliseconds = 5_000

export const createCollecting = async (options: CollectingOptions): Promise<Collecting> => {
  const { config, db, isShared, engine, collectors, sources, tasks, now, log } = options
  const ending = new AbortController()
  const leases = createLeases({ db, now })
  // Who is alone has no other to wait for; what it held before it was killed is free.
  if (!isShared) await leases.clear('glean')
  const locks = createSourceLocks({ leases: isShared ? leases : undefined })
  const checkpointsOf = (source: string) => createCheckpoints({ db, source, now })
  const runs = createRuns({
    db,
    collecting: { engine, collectors, checkpointsOf },
    sources,
    tasks,
    leases,
    locks,
    now,
    log,
  })
  const interval = config.gleanIntervalSeconds * 1000
  const scheduling = inRounds(
    Math.min(askMilliseconds, interval),
    ending.signal,
    () => runs.runIfDue(interval),
    (error) => {
      if (!ending.signal.aborted) log.error({ error }, 'the scheduled run over the sources failed')
    },
  )
  return {
    runs,
    configured: async (signal) => {
      const [{ entries, problems }, counts, rows] = await Promise.all([
        sources.read(),
        engine.sources({}, signal),
        listSourceRuns(db),
      ])
      return { sources: describeConfigured(entries, counts, rows), problems }
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('The log service is ending.'))
      await runs[Symbol.asyncDispose]()
      await scheduling
    },
  }
}
