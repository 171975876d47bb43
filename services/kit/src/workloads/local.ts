import {
  type RunReport,
  type RunRequest,
  type Workload,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { serviceError } from '../errors/mod.ts'
import { type Handlers, implementation } from '../rpc/mod.ts'
import type { Log, Metrics } from '../telemetry/mod.ts'
import type { WorkerKind } from './child.ts'
import { createGpuProbe, type GpuProbe } from './local-gpus.ts'
import { createPool, type Outcome, type Pool } from './pool.ts'
import { runKindOf, runTopic } from './topics.ts'
import type { Report } from './watch.ts'

export type LocalWorkloadsOptions = {
  bus: Bus
  kinds: Partial<Record<Workload, WorkerKind>>
  /** Maximum queued runs; past it a run is rejected as `unavailable`. */
  maxQueued?: number
  log: Log
  now?: () => Date
  /** Finds the GPUs of this machine. */
  gpus?: GpuProbe
}

export type WorkloadCounts = {
  workload: Workload
  running: number
  maxRunning: number
  queued: number
  maxQueued: number
}

/** Registers gauges of running and queued runs and their limits. Call once for each registry. */
export const measureWorkloads = (metrics: Metrics, counts: () => WorkloadCounts[]): void => {
  const labels = ['workload', 'state'] as const
  const series = (running: 'running' | 'maxRunning', queued: 'queued' | 'maxQueued') =>
    counts().flatMap((one) => {
      const workload = nameOf(one.workload)
      return [
        { labels: { workload, state: 'running' }, value: one[running] },
        { labels: { workload, state: 'queued' }, value: one[queued] },
      ]
    })
  metrics.gauges({ name: 'trellis_workload_runs', help: 'Runs of this machine, running and queued.', labels }, () =>
    series('running', 'queued'),
  )
  metrics.gauges({ name: 'trellis_workload_runs_limit', help: 'Limit of trellis_workload_runs.', labels }, () =>
    series('maxRunning', 'maxQueued'),
  )
}

const nameOf = (workload: Workload): string => workload.replace('WORKLOAD_', '').toLowerCase()

/** Number of ended runs whose last report is cached: a repeated request republishes it instead of starting the run again. */
const rememberedEnds = 1_000

const runIdPattern = /^[a-z0-9-]{1,60}$/

type Entry = {
  request: RunRequest
  createdAt: string
  startedAt: string | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * The workloads service of one machine, with child processes in place of pods. Every run ends in a report of `completed` or
 * `failed`, even when its process crashes.
 */
export const createLocalWorkloads = ({
  bus,
  kinds,
  maxQueued = 1_000,
  log,
  now = () => new Date(),
  gpus = createGpuProbe(),
}: LocalWorkloadsOptions) => {
  const runs = new Map<string, Entry>()
  const ends = new Map<string, { workload: Workload; last: Report }>()
  const pools = new Map<Workload, Pool>()
  for (const [workload, kind] of Object.entries(kinds)) {
    const name = nameOf(workload as Workload)
    pools.set(workload as Workload, createPool(kind, { name, log: log.child({ part: name }) }))
  }

  const poolOf = (workload: Workload): Pool => {
    const pool = pools.get(workload)
    if (!pool) throw serviceError('unavailable', `This installation runs no workload of kind ${workload}.`)
    return pool
  }

  /** Publishes a report without waiting; the bus preserves the order of the calls. */
  const report = ({ runId, workload }: Pick<RunRequest, 'runId' | 'workload'>, made: Report) => {
    const event: RunReport = { runId, report: made }
    bus
      .publish(runTopic[runKindOf(workload)](runId), event)
      .catch((error: unknown) => log.error({ err: error, runId }, 'workloads: report not published'))
  }

  const end = ({ runId, workload }: RunRequest, outcome: Outcome) => {
    clearTimeout(runs.get(runId)?.timer)
    runs.delete(runId)
    const last: Report =
      outcome.kind === 'completed'
        ? { $case: 'completed', value: { result: outcome.result } }
        : { $case: 'failed', value: outcome.failure }
    ends.set(runId, { workload, last })
    const [oldest] = ends.keys()
    if (ends.size > rememberedEnds && oldest !== undefined) ends.delete(oldest)
    report({ runId, workload }, last)
  }

  const begin = (request: RunRequest, entry: Entry, pool: Pool) =>
    pool.run({
      runId: request.runId,
      input: request.input,
      onStarted: (worker, warm) => {
        entry.startedAt = now().toISOString()
        report(request, { $case: 'started', value: { worker, warm } })
      },
      onProgress: (fraction, detail) => report(request, { $case: 'progress', value: { fraction, detail } }),
      onOutput: (message) => report(request, { $case: 'output', value: message }),
      onEnded: (outcome) => end(request, outcome),
    })

  const handlers: Handlers<typeof WorkloadsServiceDefinition> = {
    run: async (request) => {
      const { runId, workload, activeDeadlineSeconds } = request
      if (!runIdPattern.test(runId)) throw serviceError('invalid', `"${runId}" cannot be the id of a run.`)
      const pool = poolOf(workload)
      if (runs.has(runId)) return { queued: runs.get(runId)?.startedAt === undefined }
      const ended = ends.get(runId)
      if (ended) {
        // A caller that requests the run again has missed its end.
        report({ runId, workload: ended.workload }, ended.last)
        return { queued: false }
      }
      if (pool.counts().queued >= maxQueued) {
        throw serviceError('unavailable', 'Too much work is waiting already. Try again shortly.', {
          retryAfterSeconds: 10,
        })
      }
      const entry: Entry = { request, createdAt: now().toISOString(), startedAt: undefined, timer: undefined }
      runs.set(runId, entry)
      if (activeDeadlineSeconds > 0) entry.timer = setTimeout(() => pool.exceed(runId), activeDeadlineSeconds * 1_000)
      return begin(request, entry, pool)
    },
    cancel: async ({ runId }) => {
      const entry = runs.get(runId)
      if (entry) poolOf(entry.request.workload).cancel(runId)
      return {}
    },
    list: async ({ workload }) => ({
      runs: [...runs.values()]
        .filter(({ request }) => workload === 'WORKLOAD_UNSPECIFIED' || request.workload === workload)
        .map(({ request, createdAt, startedAt }) => ({
          runId: request.runId,
          workload: request.workload,
          queued: startedAt === undefined,
          createdAt,
          startedAt: startedAt ?? null,
        })),
    }),
    capacity: async ({ workload }) => ({
      ...poolOf(workload).counts(),
      mode: 'local',
      observedAt: now().toISOString(),
      ...(await gpus()),
    }),
  }
  /** Depths and limits of the queue of each workload. */
  const counts = (): WorkloadCounts[] =>
    [...pools].map(([workload, pool]) => {
      const { total, running, queued } = pool.counts()
      return { workload, running, maxRunning: total, queued, maxQueued: maxQueued }
    })
  return {
    handlers,
    counts,
    implementations: [implementation(WorkloadsServiceDefinition, handlers)],
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      for (const [workload, { cleanUpShared }] of Object.entries(kinds)) {
        if (!cleanUpShared) continue
        await poolOf(workload as Workload).ended()
        await cleanUpShared()
      }
    },
  }
}
