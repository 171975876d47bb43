import type { Log } from '@trellis/kit/telemetry'
import type { Client, Clock, Recorder, Store } from '../runtime/mod.ts'
import type { Pod, WorkerTemplate } from '../workers/mod.ts'
import type { Claims } from './claims.ts'
import type { Reporter } from './reporter.ts'
import type { RunEvents } from './run-events.ts'
import type { RunMetrics } from './run-metrics.ts'

/** Dependencies of the controller of every kind of run. */
export type RunParts = {
  client: Client
  recorder: Recorder
  pods: Store<Pod>
  claims: Claims
  events: RunEvents
  reporter: Reporter
  clock: Clock
  log: Log
  /** Without it, nothing is counted. */
  runMetrics?: RunMetrics
  /** Template of workers for runs that claim none from a pool. */
  template: WorkerTemplate
  /** Name of the installation. */
  instance: string
  /** Maximum number of runs of the kind that have a worker at the same time. */
  maxRuns: number
}
