import type { Metrics } from '@trellis/kit/telemetry'
import type { Workload } from '../workers/mod.ts'

/** How well the pools serve: which share of the runs found a worker waiting, and how long it took to hand it over. */
export type ClaimMetrics = {
  /** A claim was answered after so many seconds: with a pod (`warm`), or that none waits (`cold`). */
  answered: (workload: Workload, result: 'warm' | 'cold', seconds: number) => void
  /** A pod changed, or was another's, when it was to be claimed. */
  conflicted: (workload: Workload) => void
}

const buckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Declares the metrics, once a process, with their series at zero. */
export const createClaimMetrics = (metrics: Metrics): ClaimMetrics => {
  const claims = metrics.counter({
    name: 'trellis_pool_claims_total',
    help: 'Runs that asked for a waiting worker, by whether one waited (warm) or not (cold).',
    labels: ['workload', 'result'],
  })
  const conflicts = metrics.counter({
    name: 'trellis_pool_claim_conflicts_total',
    help: 'Waiting workers that could not be claimed as they were.',
    labels: ['workload'],
  })
  const duration = metrics.histogram({
    name: 'trellis_pool_claim_duration_seconds',
    help: 'Seconds until a run had a waiting worker.',
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
