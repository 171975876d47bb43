import { setTimeout as sleep } from 'node:timers/promises'
import { connectNatsWorkerBus, type WorkerBus } from '../bus/mod.ts'
import { baseConfig, type ConfigSchema, read, readConfigs, setting, type ValuesOf } from '../config/mod.ts'
import type { FilesLocation } from '../files/mod.ts'
import { stopSignal } from '../lifecycle/mod.ts'
import { processChecks, serveHealth } from '../telemetry/health-server.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { serveAssignments, type WorkerEnd } from '../workloads/pod/serve-assignments.ts'
import type { RunKind } from '../workloads/topics.ts'
import type { Work } from '../workloads/worker.ts'
import { busOptions, connectionsConfig, filesLocation } from './connections-config.ts'
import { fail } from './failing.ts'
import { watchFatalErrors } from './fatal-errors.ts'
import { openLog } from './open-log.ts'
import { configPart, printConfig } from './print-config.ts'
import { readSettings } from './read-settings.ts'

/** The dependencies that a worker gets from its process. */
export type WorkerTools = { filesLocation: FilesLocation; bus: WorkerBus; log: Log }

export type WorkerProcess<Schema extends ConfigSchema> = {
  /** The name of its connections to servers. */
  name: string
  /** The kind of runs that it does. */
  kind: RunKind
  config: Schema
  /** Creates the function that does the runs. Expensive loading belongs into the first run, because many workers wait for their first. */
  open: (config: ValuesOf<Schema>, tools: WorkerTools) => Work
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

const podConfig = {
  podUid: setting('POD_UID', read.text, '', 'The uid of the pod, by which runs are assigned to it.'),
  podName: setting('POD_NAME', read.text, '', 'The name of the pod, for display.'),
  lingerSeconds: setting(
    'WORKER_LINGER_SECONDS',
    read.integer(0, 3_600),
    20,
    'How long a worker waits for further runs after one.',
  ),
  reportSeconds: setting(
    'WORKER_REPORT_SECONDS',
    read.integer(1, 86_400),
    900,
    'How long a worker retries to connect and to report while NATS is unavailable.',
  ),
}

/** Time limit for a stopped worker to publish its output before it exits, in milliseconds. */
const graceMilliseconds = 8_000
const flushMilliseconds = 5_000

/** Exit codes. 10: a repetition of the run would fail as well; 143: the worker was stopped. */
const exitCodes: Readonly<Record<WorkerEnd, number>> = { completed: 0, idle: 0, failed: 10, broken: 1, stopped: 143 }

const readAll = <Schema extends ConfigSchema>(schema: Schema, environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, connections: connectionsConfig, pod: podConfig, own: schema },
    environment,
    ({ connections }) => ({ bus: () => busOptions(connections), files: () => filesLocation(connections) }),
  )

/** Runs are assigned by uid: a pod has one, and a worker that is started by hand needs any unique one. */
const requirePod = (podUid: string): void => {
  if (podUid === '') fail('POD_UID must be set: runs are assigned to a worker by the uid of its pod.')
}

/** How the worker ended; `stopped` if it has not ended within the grace period after a stop. */
const endOf = async (serving: Promise<WorkerEnd>, stopped: Promise<unknown>): Promise<WorkerEnd> =>
  Promise.race([serving, stopped.then(() => sleep(graceMilliseconds, 'stopped' as const, { ref: false }))])

/**
 * Runs a worker in a pod: it connects to the bus, waits for its assigned run, does it, does further runs that are
 * assigned within some seconds, and exits. Codes: 0 success, or never assigned a run; 10 the run failed because of its
 * task; 1 an internal error, which another worker may not have; 143 stopped during a run, whose end it then does not
 * report, because another worker may repeat it. `GET /ready` on METRICS_PORT is 200 once it receives assignments.
 */
export const runWorker = async <const Schema extends ConfigSchema>(worker: WorkerProcess<Schema>): Promise<void> => {
  const { name, environment, words } = worker
  const config = readSettings({
    read: (variables) => readAll(worker.config, variables),
    print: ({ base, connections, pod, own }) =>
      printConfig([
        configPart('every process', baseConfig, base),
        configPart('servers', connectionsConfig, connections),
        configPart('pod', podConfig, pod),
        configPart(name, worker.config, own),
      ]),
    environment,
    words,
  })
  if (config === undefined) return
  const { base, pod, own } = config
  requirePod(pod.podUid)
  const stopping = new AbortController()
  const stopped = stopSignal({ orWithInput: base.endsWithInput }).then((signal) =>
    stopping.abort(new Error(`The worker was stopped by ${signal}.`)),
  )
  const log = openLog(base)
  const fatal = watchFatalErrors(log)
  const broken = fatal.first.then(() => 'broken' as const)
  let isReady = false
  let end: WorkerEnd
  try {
    const watched = {
      host: base.host,
      port: base.metricsPort,
      hosts: base.metricsHosts,
      checks: processChecks(() => isReady && !fatal.hasOccurred()),
      metrics: createMetrics(),
    }
    await using _server = base.metricsPort === 0 ? undefined : await serveHealth(watched)
    const connecting = connectNatsWorkerBus({
      ...config.bus,
      name: `trellis-${name}`,
      log,
      // A worker that exits counts as lost to its run, so it waits for NATS as long as a connected worker does.
      limits: { connectWithinMilliseconds: pod.reportSeconds * 1_000 },
    })
    const connected = await Promise.race([connecting, stopped])
    if (connected === undefined) process.exit(exitCodes.stopped)
    await using bus = connected
    const serving = serveAssignments({
      bus,
      work: worker.open(own, { filesLocation: config.files, bus, log }),
      kind: worker.kind,
      worker: pod.podName || pod.podUid,
      podUid: pod.podUid,
      lingerMilliseconds: pod.lingerSeconds * 1_000,
      reportWithinMilliseconds: pod.reportSeconds * 1_000,
      flushWithinMilliseconds: flushMilliseconds,
      signal: stopping.signal,
      log,
      onReady: () => {
        if (!isReady) process.stdout.write(`Trellis ${name} is ready in ${pod.podName || pod.podUid}\n`)
        isReady = true
      },
    })
    // The state is unknown after an uncaught error, so the worker does not report its run, which another worker repeats.
    end = await Promise.race([endOf(serving, stopped), broken])
    if (end === 'broken') process.exit(exitCodes.broken)
  } catch (error) {
    return fail(error)
  }
  log.info({ end }, 'worker: exiting')
  process.exit(exitCodes[end])
}
