import type { Metrics } from '@trellis/kit/telemetry'
import type { Workload } from '../workers/mod.ts'

/** Metrics of claims: the share of runs that got an idle worker, and how long the claim took. */
export type ClaimMetrics = {
  /** Records a claim's result after this many seconds: a pod (`warm`) or no idle worker (`cold`). */
  answered: (workload: Workload, result: 'warm' | 'cold', seconds: number) => void
  /** Records that a pod had changed, or was claimed by another run, when it was to be claimed. */
  conflicted: (workload: Workload) => void
}

const buckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Declares the metrics, once per process, with their series at zero. */
export const createClaimMetrics = (metrics: Metrics): ClaimMetrics => {
  const claims = metrics.counter({
    name: 'trellis_pool_claims_total',
    help: 'Runs that requested an idle worker, by whether there was one (warm) or not (cold).',
    labels: ['workload', 'result'],
  })
  const conflicts = metrics.counter({
    name: 'trellis_pool_claim_conflicts_total',
    help: 'Claims of idle workers that failed because the pod had changed.',
    labels: ['workload'],
  })
  const duration = metrics.histogram({
    name: 'trellis_pool_claim_duration_seconds',
    help: 'Seconds until a run had claimed an idle worker.',
    labels: ['workload'],
    buckets,
  })
  for (const workload of ['search', 'generation'] as const) {
    for (const result of ['warm', 'cold'] as const) claims.inc({ workload, result }, 0)
    conflicts.inc({ workload }, 0)
  }
  return {
    answered: (workload, result, seconds) => {
      claims.inc({ workload, result })
      if (result === 'warm') duration.observe({ workload }, seconds)
    },
    conflicted: (workload) => conflicts.inc({ workload }),
  }
}
