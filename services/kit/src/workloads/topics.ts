import { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import {
  PlanRequest,
  RunEvent,
  RunInput,
  RunReport,
  WorkerAssignment,
  type Workload,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Bus, messageCodec, queue, topics } from '../bus/mod.ts'
import { serviceError } from '../errors/mod.ts'

/**
 * The kinds of runs. Each has its own streams, because the server's permissions are granted by stream: a worker of one kind
 * can neither read nor report runs of the other.
 */
export const runKinds = ['search', 'generation'] as const
export type RunKind = (typeof runKinds)[number]

const kindsByWorkload: Partial<Record<Workload, RunKind>> = {
  WORKLOAD_SEARCH: 'search',
  WORKLOAD_GENERATION: 'generation',
}

/** The kind of the runs of a workload. Throws `invalid` for a workload that is not specified. */
export const runKindOf = (workload: Workload): RunKind => {
  const kind = kindsByWorkload[workload]
  if (kind === undefined) throw serviceError('invalid', 'The request names no workload.')
  return kind
}

const perKind = <Value>(declare: (kind: RunKind) => Value): Readonly<Record<RunKind, Value>> => ({
  search: declare('search'),
  generation: declare('generation'),
})

/** The reports of one run, by its id. Retained for 15 minutes, so that the caller can resume following the run. */
export const runTopic = perKind((kind) =>
  topics({
    family: `workloads.runs.${kind}`,
    ...messageCodec(RunReport),
    keep: { events: 2_000, milliseconds: 15 * 60_000 },
    coalesceBy: (report) => (report.report?.$case === 'progress' ? 'progress' : undefined),
  }),
)

const day = 86_400_000

/** The runs assigned to a worker, by the uid of its pod. Retained for as long as an assignment may wait for its pod. */
export const assignmentsOf = perKind((kind) =>
  topics({
    family: `workloads.assignments.${kind}`,
    ...messageCodec(WorkerAssignment),
    keep: { events: 100, milliseconds: day },
  }),
)

/** The input of a run, by its id. Retained for as long as a run may take, so that a second worker can repeat it. */
export const inputsOf = perKind((kind) =>
  topics({
    family: `workloads.inputs.${kind}`,
    ...messageCodec(RunInput),
    keep: { events: 1, milliseconds: day },
  }),
)

/**
 * Creates or updates the streams that workers use, with the settings of this release, because workers may not create them. It
 * publishes an event to a topic without readers in each family. Idempotent.
 */
export const prepareWorkerTopics = async (bus: Pick<Bus, 'publish'>): Promise<void> => {
  const id = 'prepared'
  await Promise.all(
    runKinds.flatMap((kind) => [
      bus.publish(runTopic[kind](id), { runId: id, number: 0, report: null }),
      bus.publish(assignmentsOf[kind](id), { runId: '', ends: false }),
      bus.publish(inputsOf[kind](id), { runId: id, input: new Uint8Array() }),
    ]),
  )
}

const events = (name: string) =>
  queue({
    name,
    ...messageCodec(RunEvent),
    acknowledgeWithinMilliseconds: 30_000,
    maxDeliveries: 10,
    backOffMilliseconds: [200, 1_000, 5_000, 15_000],
    maxWaiting: 100_000,
  })

/** Events of runs from services and the operator, from which the leading operator writes statuses. */
export const runEvents = events('workloads.notices')

/** Events of runs from workers of one kind, which may publish neither other events nor events of runs of another kind. */
export const workerEvents = perKind((kind) => events(`workloads.worker-notices.${kind}`))

const planRequests = (kind: RunKind) =>
  queue({
    name: `workloads.orders.${kind}`,
    ...messageCodec(PlanRequest),
    acknowledgeWithinMilliseconds: 30_000,
    maxDeliveries: 10,
    backOffMilliseconds: [500, 2_000, 10_000],
    maxWaiting: 10_000,
  })

/** Runs requested by an object, which the service that owns the workload plans and requests with `Run`. */
export const searchPlanRequests = planRequests('search')
export const generationPlanRequests = planRequests('generation')

/** Events of branches, from which their statuses are written. */
export const branchEvents = queue({
  name: 'workloads.branch-notices',
  ...messageCodec(BranchEvent),
  maxDeliveries: 3,
  maxWaiting: 10_000,
})
