import type { Metrics } from '@trellis/kit/telemetry'

type Labelled<Label extends string> = { labels: Record<Label, string>; value: number }

/** State of a queue at scrape time. */
export type QueueReading = {
  name: string
  /** Waiting keys by priority. */
  depth: ReadonlyMap<number, number>
  /** Seconds since each key in progress was taken. */
  working: readonly number[]
}

/** State of a reflector at scrape time. */
export type ReflectorReading = { name: string; objects: number; secondsSinceSign: number }

const waits = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1_000]
const reconcileTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const requestTimes = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Label values for reconcile results, as in controller-runtime. */
const results = ['success', 'requeue_after', 'error', 'terminal_error'] as const

export type ReconcileResult = (typeof results)[number]

/**
 * Declares the metrics of the runtime, once per process, under the names used by controller-runtime and client-go, so
 * that their dashboards and alerts work. Series whose labels are known are exported from the start, at zero.
 */
export const createRuntimeMetrics = (metrics: Metrics) => {
  const queues = new Set<() => QueueReading>()
  const reflectors = new Set<() => ReflectorReading>()
  const elections = new Map<string, () => boolean>()

  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status code, method and host.',
    labels: ['code', 'method', 'host'],
  })
  const requestDuration = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Seconds until the API server responded, by verb and host.',
    labels: ['verb', 'host'],
    buckets: requestTimes,
  })

  const queueLabels = ['name', 'controller'] as const
  const perQueue = (name: string, help: string, value: (reading: QueueReading) => number) =>
    metrics.gauges({ name, help, labels: queueLabels }, () =>
      [...queues].map((read): Labelled<'name' | 'controller'> => {
        const reading = read()
        return { labels: { name: reading.name, controller: reading.name }, value: value(reading) }
      }),
    )
  metrics.gauges(
    { name: 'workqueue_depth', help: 'Waiting keys, by priority.', labels: [...queueLabels, 'priority'] },
    () =>
      [...queues].flatMap((read) => {
        const { name, depth } = read()
        const byPriority: [number, number][] = depth.size === 0 ? [[0, 0]] : [...depth]
        return byPriority.map(([priority, value]) => ({
          labels: { name, controller: name, priority: String(priority) },
          value,
        }))
      }),
  )
  perQueue('workqueue_unfinished_work_seconds', 'Seconds of work in progress.', ({ working }) => sum(working))
  perQueue('workqueue_longest_running_processor_seconds', 'Seconds of the longest work in progress.', ({ working }) =>
    Math.max(0, ...working),
  )
  const added = metrics.counter({ name: 'workqueue_adds_total', help: 'Keys that were added.', labels: queueLabels })
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Keys that were requeued after a failure.',
    labels: queueLabels,
  })
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Seconds that a key waited.',
    labels: queueLabels,
    buckets: waits,
  })
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Seconds that a key was worked on.',
    labels: queueLabels,
    buckets: waits,
  })

  const perController = ['controller'] as const
  const reconciles = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles, by result.',
    labels: ['controller', 'result'],
  })
  const controllerCounter = (name: string, help: string) => metrics.counter({ name, help, labels: perController })
  const errors = controllerCounter('controller_runtime_reconcile_errors_total', 'Reconciles that failed.')
  const terminal = controllerCounter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that failed and are not retried.',
  )
  const panics = controllerCounter('controller_runtime_reconcile_panics_total', 'Reconciles that threw.')
  const timeouts = controllerCounter(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that exceeded their time limit.',
  )
  const duration = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds that a reconcile took.',
    labels: perController,
    buckets: reconcileTimes,
  })
  const controllers = new Map<string, { limit: number; active: () => number }>()
  metrics.gauges(
    { name: 'controller_runtime_active_workers', help: 'Workers that are busy.', labels: perController },
    () => [...controllers].map(([controller, { active }]) => ({ labels: { controller }, value: active() })),
  )
  metrics.gauges(
    { name: 'controller_runtime_max_concurrent_reconciles', help: 'Total number of workers.', labels: perController },
    () => [...controllers].map(([controller, { limit }]) => ({ labels: { controller }, value: limit })),
  )

  const perReflector = ['name'] as const
  const lists = metrics.counter({ name: 'reflector_lists_total', help: 'Lists started.', labels: perReflector })
  const watches = metrics.counter({ name: 'reflector_watches_total', help: 'Watches started.', labels: perReflector })
  const events = metrics.counter({
    name: 'reflector_events_total',
    help: 'Watch events received.',
    labels: perReflector,
  })
  const reflectorErrors = metrics.counter({
    name: 'reflector_errors_total',
    help: 'Lists and watches that failed, by cause.',
    labels: ['name', 'cause'],
  })
  const missed = metrics.counter({
    name: 'reflector_missed_changes_total',
    help: 'Changes that no watch reported and only a later list showed.',
    labels: perReflector,
  })
  metrics.gauges({ name: 'reflector_objects', help: 'Objects in the cache.', labels: perReflector }, () =>
    [...reflectors].map((read) => ({ labels: { name: read().name }, value: read().objects })),
  )
  metrics.gauges(
    {
      name: 'reflector_last_sign_seconds',
      help: 'Seconds since the API server last sent anything.',
      labels: perReflector,
    },
    () => [...reflectors].map((read) => ({ labels: { name: read().name }, value: read().secondsSinceSign })),
  )

  metrics.gauges({ name: 'leader_election_master_status', help: '1 while this process leads.', labels: ['name'] }, () =>
    [...elections].map(([name, leads]) => ({ labels: { name }, value: leads() ? 1 : 0 })),
  )
  const recorded = metrics.counter({
    name: 'events_recorded_total',
    help: 'Events about objects, by outcome.',
    labels: ['result'],
  })

  return {
    request: (seen: { code: string; method: string; host: string; verb: string; seconds: number }) => {
      requests.inc({ code: seen.code, method: seen.method, host: seen.host })
      if (seen.verb !== 'WATCH') requestDuration.observe({ verb: seen.verb, host: seen.host }, seen.seconds)
    },
    queue: (name: string, read: () => QueueReading) => {
      const labels = { name, controller: name }
      queues.add(read)
      added.inc(labels, 0)
      retries.inc(labels, 0)
      return {
        added: () => added.inc(labels),
        retried: () => retries.inc(labels),
        waited: (seconds: number) => waited.observe(labels, seconds),
        worked: (seconds: number) => worked.observe(labels, seconds),
        remove: () => queues.delete(read),
      }
    },
    controller: (controller: string, workers: { limit: number; active: () => number }) => {
      controllers.set(controller, workers)
      for (const result of results) reconciles.inc({ controller, result }, 0)
      for (const counter of [errors, terminal, panics, timeouts]) counter.inc({ controller }, 0)
      return {
        reconciled: (result: ReconcileResult, seconds: number) => {
          reconciles.inc({ controller, result })
          if (result === 'error' || result === 'terminal_error') errors.inc({ controller })
          if (result === 'terminal_error') terminal.inc({ controller })
          duration.observe({ controller }, seconds)
        },
        threw: () => panics.inc({ controller }),
        timedOut: () => timeouts.inc({ controller }),
      }
    },
    reflector: (name: string, read: () => ReflectorReading) => {
      reflectors.add(read)
      return {
        listed: () => lists.inc({ name }),
        watched: () => watches.inc({ name }),
        event: () => events.inc({ name }),
        failed: (cause: string) => reflectorErrors.inc({ name, cause }),
        missed: (changes: number) => missed.inc({ name }, changes),
        remove: () => reflectors.delete(read),
      }
    },
    election: (name: string, leads: () => boolean) => {
      elections.set(name, leads)
    },
    recorded: (result: 'created' | 'repeated' | 'dropped' | 'failed') => recorded.inc({ result }),
  }
}

export type RuntimeMetrics = ReturnType<typeof createRuntimeMetrics>
