import type { Metrics } from '@trellis/kit/telemetry'
import { type RunReason, runReasons } from '../crds/mod.ts'
import type { Workload } from '../workers/mod.ts'
import type { DesiredStatus } from './run-status.ts'

/** How runs fare: how many end how, and how long they wait for a worker to begin. */
export type RunMetrics = {
  /** A worker began after so many milliseconds from when the run was taken on; `warm` where it was claimed. */
  started: (workload: Workload, warm: boolean, milliseconds: number) => void
  /** A run ended so. */
  ended: (workload: Workload, desiredStatus: DesiredStatus) => void
}

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** The reason where it is one of ours: services may say anything, and every word would be a series. */
const reasonLabel = (reason: string): RunReason | 'Other' => runReasons.find((known) => known === reason) ?? 'Other'

/** Declares the metrics, once a process. */
export const createRunMetrics = (metrics: Metrics): RunMetrics => {
  const ends = metrics.counter({
    name: 'trellis_runs_ended_total',
    help: 'Runs that ended, by phase (Complete, Failed) and reason.',
    labels: ['workload', 'phase', 'reason'],
  })
  const starts = metrics.histogram({
    name: 'trellis_run_start_duration_seconds',
    help: 'Seconds from when a run was taken on until a worker said that it began, by whether one waited for it.',
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
