import type { Bus, Topic } from '@trellis/kit/bus'
import { type ErrorKind, errorKinds } from '@trellis/kit/errors'
import {
  assignmentsOf,
  generationPlanRequests,
  inputsOf,
  type RunKind,
  runTopic,
  searchPlanRequests,
} from '@trellis/kit/workloads'
import type { PlanRequest, RunFailed, RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'

/** How a run is told to have ended. */
export type RunEnd = Extract<NonNullable<RunReport['report']>, { $case: 'completed' | 'failed' }>

/** What the operator reports over the bus of runs of one kind. All of it is idempotent. */
export type Reporter = {
  /** Ends a run as failed on its topic, where its service and its listeners find it. */
  failed: (runId: string, failure: RunFailed) => Promise<void>
  /** The same, where nothing seems to have been said of its end; gives what was, `completed` or another failure. */
  failedUnlessReported: (runId: string, failure: RunFailed, signal: AbortSignal) => Promise<RunEnd | undefined>
  /** Gives the worker in a pod, by its uid, a run to do. */
  assign: (podUid: string, runId: string) => Promise<void>
  /** Tells the worker in a pod, by its uid, that no run will follow on those that it was given: it ends, and need not wait. */
  release: (podUid: string) => Promise<void>
  /** Lays down what a run is to do. */
  input: (runId: string, input: Uint8Array) => Promise<void>
  /** Asks the service that owns the workload for a run that an object asked for; once while the order waits. */
  order: (order: PlanRequest) => Promise<void>
}

/** What the ends that the operator knows of mean to a caller. */
const kinds: Partial<Record<RunReason, ErrorKind>> = {
  DeadlineExceeded: 'upstream_timeout',
  OOMKilled: 'internal',
  Evicted: 'unavailable',
  ImagePull: 'unavailable',
  Unschedulable: 'unavailable',
  WorkerLost: 'unavailable',
  NoReport: 'internal',
  Suspended: 'conflict',
  Cancelled: 'conflict',
  NodeNotFound: 'not_found',
  MarketplaceRefused: 'upstream_failed',
}

/** A failure by one of our reasons, with a sentence for a person. */
export const failureOf = (reason: string, detail: string): RunFailed => {
  const kind = kinds[reason as RunReason] ?? 'internal'
  const isPassing = errorKinds[kind].status === errorKinds.unavailable.status
  return { reason, detail, kind, retryAfterSeconds: isPassing ? 5 : null }
}

/** The end that a run was told to have before an event of its topic, by the sequence of that. */
const endBefore = async (
  bus: Bus,
  topic: Topic<RunReport>,
  { before, signal }: { before: number; signal: AbortSignal },
): Promise<RunEnd | undefined> => {
  for await (const delivery of bus.subscribe(topic, { after: 'start', signal })) {
    if (delivery.kind !== 'event') continue
    if (delivery.sequence >= before) return undefined
    const { report } = delivery.event
    if (report?.$case === 'completed' || report?.$case === 'failed') return report
  }
  throw signal.reason
}

const createReporter = (bus: Bus, kind: RunKind): Reporter => {
  const publishFailure = (runId: string, value: RunFailed): Promise<number> =>
    bus.publish(runTopic[kind](runId), { runId, report: { $case: 'failed', value } })
  return {
    failed: async (runId, value) => {
      await publishFailure(runId, value)
    },
    // Who follows the run hears the first of its ends alone. Said first, it is what marks how far there is to read.
    failedUnlessReported: async (runId, value, signal) => {
      const before = await publishFailure(runId, value)
      const end = await endBefore(bus, runTopic[kind](runId), { before, signal })
      return end?.$case === 'failed' && end.value.reason === value.reason ? undefined : end
    },
    assign: async (podUid, runId) => {
      await bus.publish(assignmentsOf[kind](podUid), { runId, ends: false })
    },
    release: async (podUid) => {
      await bus.publish(assignmentsOf[kind](podUid), { runId: '', ends: true })
    },
    input: async (runId, input) => {
      await bus.publish(inputsOf[kind](runId), { runId, input })
    },
    order: async (order) => {
      await bus.enqueue(order.generation ? generationPlanRequests : searchPlanRequests, order, order.runId)
    },
  }
}

export type Reporters = Readonly<Record<RunKind, Reporter>>

/** A reporter for each kind of runs. */
export const createReporters = (bus: Bus): Reporters => ({
  search: createReporter(bus, 'search'),
  generation: createReporter(bus, 'generation'),
})
