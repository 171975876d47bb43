import type { Log } from '@trellis/kit/telemetry'
import type { Client, Clock, Recorder, Store } from '../runtime/mod.ts'
import type { Claims } from '../warm-pool/mod.ts'
import type { Pod, WorkerTemplate } from '../workers/mod.ts'
import type { Reporter } from './reporter.ts'
import type { RunEvents } from './run-events.ts'
import type { RunMetrics } from './run-metrics.ts'

/** What the controller of every kind of runs stands on. */
export type RunParts = {
  client: Client
  recorder: Recorder
  pods: Store<Pod>
  claims: Pick<Claims, 'claim' | 'settle' | 'isWaiting' | 'askAgain'>
  events: RunEvents
  reporter: Reporter
  clock: Clock
  log: Log
  /** Nothing is counted without it. */
  runMetrics?: RunMetrics
  /** What workers are made from where none waits. */
  template: WorkerTemplate
  /** Name of the installation. */
  instance: string
  /** Runs of the kind that may have a worker at a time. */
  maxRuns: number
}
