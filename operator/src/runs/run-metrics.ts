import type { Metrics } from '@trellis/kit/telemetry'
import { type RunReason, runReasons } from '../crds/mod.ts'
import type { Workload } from '../workers/mod.ts'
import type { DesiredStatus } from './run-status.ts'

/** Metrics of runs: outcomes, and the delay until a worker starts. */
export type RunMetrics = {
  /**
   * Records that a worker started this many milliseconds after the run was accepted; `warm` if it was claimed from a
   * pool.
   */
  started: (workload: Workload, warm: boolean, milliseconds: number) => void
  /** Records the outcome of a run. */
  ended: (workload: Workload, desiredStatus: DesiredStatus) => void
}

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** Limits the label to known reasons: services may report any text, and each would create a series. */
const reasonLabel = (reason: string): RunReason | 'Other' => runReasons.find((known) => known === reason) ?? 'Other'

/** Declares the metrics, once per process. */
export const createRunMetrics = (metrics: Metrics): RunMetrics => {
  const ends = metrics.counter({
    name: 'trellis_runs_ended_total',
    help: 'Runs that ended, by phase (Complete, Failed) and reason.',
    labels: ['workload', 'phase', 'reason'],
  })
  const starts = metrics.histogram({
    name: 'trellis_run_start_duration_seconds',
    help: 'Seconds from when a run was accepted until its worker started, by whether it was claimed from a pool.',
    labels: ['workload', 'warm'],
    buckets,
  })
  for (const workload of ['search', 'generation'] as const)
    ends.inc({ workload, phase: 'Complete', reason: 'Finished' }, 0)
  return {
    started: (workload, warm, milliseconds) =>
      starts.observe({ workload, warm: String(warm) }, Math.max(0, milliseconds) / 1_000),
    ended: (workload, { phase, reason }) => ends.inc({ workload, phase, reason: reasonLabel(reason) }),
  }
}
