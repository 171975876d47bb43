import type { Bus, Queue } from '@trellis/kit/bus'
import { connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { assignmentsOf, inputsOf, runEvents, runKindOf, runKinds, workerEvents } from '@trellis/kit/workloads'
import {
  type CapacityResponse,
  type PlanRequest,
  type RunConcluded,
  type RunEvent,
  type RunRequest,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

export type PlayedOperatorOptions = {
  bus: Bus
  /** Creates a pod with this uid, whose worker receives its assignments. */
  startPod: (podUid: string) => void
  capacity?: () => Partial<CapacityResponse>
}

/**
 * Plays the operator for services and workers in a test: publishes the input of a run, creates a pod for it or assigns it to its
 * parent's pod, receives run events and sends plan requests. It never ends a run by itself.
 */
export const playOperator = ({ bus, startPod, capacity = () => ({}) }: PlayedOperatorOptions) => {
  const requested: RunRequest[] = []
  const podOf = new Map<string, string>()
  const notices: RunEvent[] = []
  const waiting = new Set<() => void>()
  const ending = new AbortController()

  const receiving = Promise.all(
    [runEvents, ...runKinds.map((kind) => workerEvents[kind])].map((queue) =>
      bus.work(
        queue,
        async ({ value }) => {
          notices.push(value)
          for (const look of waiting) look()
        },
        { signal: ending.signal },
      ),
    ),
  )

  const handlers: Handlers<typeof WorkloadsServiceDefinition> = {
    run: async (request) => {
      const { runId, parentRunId } = request
      const kind = runKindOf(request.workload)
      if (podOf.has(runId)) return { queued: false }
      requested.push(request)
      const parents = parentRunId ? podOf.get(parentRunId) : undefined
      const podUid = parents ?? `pod-of-${runId}`
      podOf.set(runId, podUid)
      await bus.publish(inputsOf[kind](runId), { runId, input: request.input })
      if (parents === undefined) startPod(podUid)
      await bus.publish(assignmentsOf[kind](podUid), { runId, ends: false })
      return { queued: false }
    },
    cancel: async () => ({}),
    list: async () => ({ runs: [] }),
    capacity: async () => ({
      total: 0,
      running: 0,
      queued: 0,
      mode: 'kubernetes',
      observedAt: new Date().toISOString(),
      classes: [],
      reasons: [],
      ...capacity(),
    }),
  }

  const found = <Value>(look: () => Value | undefined): Promise<Value> =>
    new Promise((resolve) => {
      const attempt = () => {
        const value = look()
        if (value === undefined) return
        waiting.delete(attempt)
        resolve(value)
      }
      waiting.add(attempt)
      attempt()
    })

  return {
    client: connectInProcess(WorkloadsServiceDefinition, handlers),
    /** The requested runs in order, without repeated requests, which services send when they get no answer. */
    requested,
    /** The events of a run received so far, in order, without progress. */
    seenBefore: (runId: string) =>
      notices.flatMap(({ runId: of, event }) =>
        of === runId && event && event.$case !== 'progress' ? [event.$case] : [],
      ),
    /** Resolves to the conclusion of a run once its service has reported it. */
    concluded: (runId: string): Promise<RunConcluded> =>
      found(() => {
        for (const { runId: of, event } of notices) if (of === runId && event?.$case === 'concluded') return event.value
        return undefined
      }),
    requestPlan: (queue: Queue<PlanRequest>, planRequest: Partial<PlanRequest> & { runId: string }) =>
      bus.enqueue(
        queue,
        { user: '', activeDeadlineSeconds: 300, search: null, generation: null, ...planRequest },
        planRequest.runId,
      ),
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await receiving
    },
  }
}
