import type { Bus } from '@trellis/kit/bus'
import { type Report, type RunKind, runEvents, runTopic, workerEvents } from '@trellis/kit/workloads'
import type { RunEventOf } from '../../../src/runs/mod.ts'
import type { Clock } from '../../../src/runtime/mod.ts'

/** A signal that is never aborted, since simulated work ends with its process. Each call returns a new one: a signal retains its listeners. */
export const never = (): AbortSignal => new AbortController().signal

/** Retries an operation every 200 ms until it succeeds. */
const insist = async <T>(clock: Clock, something: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await something()
    } catch {
      await clock.sleep(200)
    }
  }
}

/** Sends run events of a service, with retries until they are acknowledged. */
export const serviceReports = (bus: Bus, clock: Clock) => ({
  event: (runId: string, event: RunEventOf, id?: string) =>
    insist(clock, () => bus.enqueue(runEvents, { runId, event }, id)),
})

/** Sends run events and reports of a worker, with retries until they are acknowledged. `report` returns its sequence on the run's topic. */
export const workerReports = (bus: Bus, clock: Clock, kind: RunKind) => ({
  event: (runId: string, event: RunEventOf) => insist(clock, () => bus.enqueue(workerEvents[kind], { runId, event })),
  report: (runId: string, report: Report) => insist(clock, () => bus.publish(runTopic[kind](runId), { runId, report })),
})

export const isEnd = ({ $case }: Report): boolean => $case === 'completed' || $case === 'failed'
