import { BranchNotice } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import {
  RunInput,
  RunNotice,
  RunOrder,
  RunReport,
  WorkerAssignment,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Bus, messageCodec, queue, topics } from '../bus/mod.ts'

/** What happens to one run, by its id. Kept for a while, so that whoever asked for the run may come back to it. */
export const runTopic = topics({
  family: 'workloads.runs',
  ...messageCodec(RunReport),
  keep: { events: 2_000, milliseconds: 15 * 60_000 },
  coalesceBy: (report) => (report.report?.$case === 'progress' ? 'progress' : undefined),
})

const day = 86_400_000

/** The runs that a worker is to do, by the uid of its pod. Kept for as long as a pod may wait for the first one to be read. */
export const assignmentsOf = topics({
  family: 'workloads.assignments',
  ...messageCodec(WorkerAssignment),
  keep: { events: 100, milliseconds: day },
})

/** What a run is to do, by its id. Kept as long as a run may take, so that a second worker can do it over. */
export const inputsOf = topics({
  family: 'workloads.inputs',
  ...messageCodec(RunInput),
  keep: { events: 1, milliseconds: day },
})

/**
 * Publishes an event to a topic that has no reader in each family that workers use. It makes the streams exist with the
 * rules of this release: workers may not create them. Idempotent.
 */
export const prepareWorkerTopics = async (bus: Pick<Bus, 'publish'>): Promise<void> => {
  const id = 'prepared'
  await Promise.all([
    bus.publish(runTopic(id), { runId: id, number: 0, report: null }),
    bus.publish(assignmentsOf(id), { runId: '', ends: false }),
    bus.publish(inputsOf(id), { runId: id, input: new Uint8Array() }),
  ])
}

/** What the statuses of runs are made of: workers and services tell, the operator that leads hears. */
export const runNotices = queue({
  name: 'workloads.notices',
  ...messageCodec(RunNotice),
  acknowledgeWithinMilliseconds: 30_000,
  maximumDeliveries: 10,
  backOffMilliseconds: [200, 1_000, 5_000, 15_000],
  maximumWaiting: 100_000,
})

const orders = (workload: 'search' | 'generation') =>
  queue({
    name: `workloads.orders.${workload}`,
    ...messageCodec(RunOrder),
    acknowledgeWithinMilliseconds: 30_000,
    maximumDeliveries: 10,
    backOffMilliseconds: [500, 2_000, 10_000],
    maximumWaiting: 10_000,
  })

/** Runs that an object asked for, for the service that owns the workload to plan and to ask for by `Run`. */
export const searchOrders = orders('search')
export const generationOrders = orders('generation')

/** What the statuses of branches are made of. */
export const branchNotices = queue({
  name: 'workloads.branch-notices',
  ...messageCodec(BranchNotice),
  maximumDeliveries: 3,
  maximumWaiting: 10_000,
})
