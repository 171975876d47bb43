import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { runEvents } from './topics.ts'

/**
 * Tells the operator that all of a run is written and told, by the service that owns the workload. It is for installations
 * whose runs are objects: elsewhere nobody hears it. Told again by a driver that takes over, it says the same. Throws
 * `unavailable` where it cannot be told: then the run is not to be marked as ended.
 */
export const publishConclusion = async (bus: Bus, runId: string, value: RunConcluded): Promise<void> => {
  await bus.enqueue(runEvents, { runId, event: { $case: 'concluded', value } }, `concluded-${runId}`)
}
