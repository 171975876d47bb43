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

/** A reported end of a run. */
export type RunEnd = Extract<NonNullable<RunReport['report']>, { $case: 'completed' | 'failed' }>

/** Publishes on the bus for runs of one kind. Every method is idempotent. */
export type Reporter = {
  /** Publishes a run's failure on its topic, which its service and its listeners read. */
  failed: (runId: string, failure: RunFailed) => Promise<void>
  /**
   * Publishes a failure if no end seems to have been reported; returns an earlier end if there is one: `completed` or
   * another failure.
   */
  failedUnlessReported: (runId: string, failure: RunFailed, signal: AbortSignal) => Promise<RunEnd | undefined>
  /** Assigns a run to the worker in a pod, by the pod's uid. */
  assign: (podUid: string, runId: string) => Promise<void>
  /**
   * Notifies the worker in a pod, by the pod's uid, that no further run will follow, so that it exits without waiting.
   */
  release: (podUid: string) => Promise<void>
  /** Publishes the input of a run. */
  input: (runId: string, input: Uint8Array) => Promise<void>
  /**
   * Requests a plan, from the service that owns the workload, for a run that an object requested; deduplicated while
   * the request is queued.
   */
  requestPlan: (planRequest: PlanRequest) => Promise<void>
}

/** Error kinds, as callers see them, of the ends that the operator detects. */
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

/** Builds a failure from one of our reasons and a human-readable sentence. */
export const failureOf = (reason: string, detail: string): RunFailed => {
  const kind = kinds[reason as RunReason] ?? 'internal'
  const isPassing = errorKinds[kind].status === errorKinds.unavailable.status
  return { reason, detail, kind, retryAfterSeconds: isPassing ? 5 : null }
}

/** The first end reported on a topic before the event with sequence `before`. */
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
    // Followers only see the first end. Publishing first yields the sequence up to which to read.
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
    requestPlan: async (planRequest) => {
      await bus.enqueue(
        planRequest.generation ? generationPlanRequests : searchPlanRequests,
        planRequest,
        planRequest.runId,
      )
    },
  }
}

export type Reporters = Readonly<Record<RunKind, Reporter>>

/** Creates a reporter for each kind of run. */
export const createReporters = (bus: Bus): Reporters => ({
  search: createReporter(bus, 'search'),
  generation: createReporter(bus, 'generation'),
})
