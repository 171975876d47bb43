import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { runEvents } from './topics.ts'

/**
 * Notifies the operator that the service that owns a workload has stored and published all results of a run. For installations
 * whose runs are objects; elsewhere the event has no consumer. A driver that takes over may publish it again: idempotent. Throws
 * `unavailable` when it cannot be published; the caller must not mark the run as ended then.
 */
export const publishConclusion = async (bus: Bus, runId: string, value: RunConcluded): Promise<void> => {
  await bus.enqueue(runEvents, { runId, event: { $case: 'concluded', value } }, `concluded-${runId}`)
}
