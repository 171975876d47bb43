import { setTimeout as sleep } from 'node:timers/promises'
import { connectNatsWorkerBus, type WorkerBus } from '../bus/mod.ts'
import { baseConfig, type ConfigSchema, read, readConfigs, setting, type ValuesOf } from '../config/mod.ts'
import type { FilesLocation } from '../files/mod.ts'
import { stopSignal } from '../lifecycle/mod.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { serveMetrics } from '../telemetry/serve-metrics.ts'
import { serveAssignments, type WorkerEnd } from '../workloads/pod/serve-assignments.ts'
import type { RunKind } from '../workloads/topics.ts'
import type { Work } from '../workloads/worker.ts'
import { busOptions, connectionsConfig, filesLocation } from './connections-config.ts'
import { fail } from './failing.ts'
import { watchFatalErrors } from './fatal-errors.ts'
import { openLog } from './open-log.ts'
import { configPart, printConfig } from './print-config.ts'
import { readSettings } from './read-settings.ts'

/** What a worker has from its process. */
export type WorkerTools = { filesLocation: FilesLocation; bus: WorkerBus; log: Log }

export type WorkerProcess<Schema extends ConfigSchema> = {
  /** What it is called at the servers it stands on. */
  name: string
  /** The kind of the runs that it does. */
  kind: RunKind
  config: Schema
  /** Makes what does the runs. What takes long to load or open is left to the first run: many workers wait for theirs. */
  open: (config: ValuesOf<Schema>, tools: WorkerTools) => Work
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

const podConfig = {
  podUid: setting('POD_UID', read.text, '', 'The uid of the pod, by which runs are assigned to it.'),
  podName: setting('POD_NAME', read.text, '', 'Its name, which people are shown.'),
  lingerSeconds: setting(
    'WORKER_LINGER_SECONDS',
    read.integer(0, 3_600),
    20,
    'How long further runs are waited for after one.',
  ),
  reportSeconds: setting(
    'WORKER_REPORT_SECONDS',
    read.integer(1, 86_400),
    900,
    'How long a worker tries to connect, and to report what was found, while NATS is away.',
  ),
}

/** What a stopped worker may still need to hand over what it has, in milliseconds; then it ends all the same. */
const graceMilliseconds = 8_000
const flushMilliseconds = 5_000

/** What a worker's end means to whoever started it. 10: to do the run over would change nothing; 143: it was stopped. */
const exitCodes: Readonly<Record<WorkerEnd, number>> = { completed: 0, idle: 0, failed: 10, broken: 1, stopped: 143 }

const readAll = <Schema extends ConfigSchema>(schema: Schema, environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, connections: connectionsConfig, pod: podConfig, own: schema },
    environment,
    ({ connections }) => ({ bus: () => busOptions(connections), files: () => filesLocation(connections) }),
  )

/** Without a uid there is nobody to be assigned to: a pod has one, and whoever starts a worker by hand chooses one. */
const requirePod = (podUid: string): void => {
  if (podUid === '') fail('POD_UID must be set: runs are assigned to a worker by the uid of its pod.')
}

/** How the worker ended, or that it was told to and has not within the grace. */
const endOf = async (serving: Promise<WorkerEnd>, stopped: Promise<unknown>): Promise<WorkerEnd> =>
  Promise.race([serving, stopped.then(() => sleep(graceMilliseconds, 'stopped' as const, { ref: false }))])

/**
 * The life of a worker in a pod: it connects to the bus, waits for the run that is assigned to it, does it, does what else is
 * assigned within some seconds, and ends. Codes: 0 it went well, or it was never given anything; 10 the run failed by what
 * it was to do; 1 a fault of ours, which another worker may not meet; 143 it was stopped with a run in hand, of which it then
 * says nothing, since another may do it over. `GET /ready` on METRICS_PORT is 200 from when its assignments are heard.
 */
export const runWorker = async <const Schema extends ConfigSchema>(worker: WorkerProcess<Schema>): Promise<void> => {
  const { name, environment, words } = worker
  const config = readSettings({
    read: (given) => readAll(worker.config, given),
    print: ({ base, connections, pod, own }) =>
      printConfig([
        configPart('every process', baseConfig, base),
        configPart('the servers it stands on', connectionsConfig, connections),
        configPart('its pod', podConfig, pod),
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
    stopping.abort(new Error(`The worker was told to end (${signal}).`)),
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
      isReady: () => isReady && !fatal.hasOccurred(),
    }
    await using _server = base.metricsPort === 0 ? undefined : await serveMetrics(createMetrics(), watched)
    const connecting = connectNatsWorkerBus({
      ...config.bus,
      name: `trellis-${name}`,
      log,
      // A worker that exits is a lost worker to its run, so it waits for NATS as long as a connected one does.
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
    // Its state is unknown after an uncaught error: it says nothing of its run, which another worker does over.
    end = await Promise.race([endOf(serving, stopped), broken])
    if (end === 'broken') process.exit(exitCodes.broken)
  } catch (error) {
    return fail(error)
  }
  log.info({ end }, 'the worker ends')
  process.exit(exitCodes[end])
}
