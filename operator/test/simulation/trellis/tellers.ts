import type { Bus } from '@trellis/kit/bus'
import { type Report, type RunKind, runEvents, runTopic, workerEvents } from '@trellis/kit/workloads'
import type { RunEventOf } from '../../../src/runs/mod.ts'
import type { Clock } from '../../../src/runtime/mod.ts'

/** A signal that is never aborted: what ends here ends with its process. Each is its own, as it keeps all who wait with it. */
export const never = (): AbortSignal => new AbortController().signal

/** Does something until it works. Nothing else is to be done meanwhile. */
const insist = async <T>(clock: Clock, something: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await something()
    } catch {
      await clock.sleep(200)
    }
  }
}

/** What a service reports of runs, until it has arrived. */
export const serviceReports = (bus: Bus, clock: Clock) => ({
  event: (runId: string, event: RunEventOf, id?: string) =>
    insist(clock, () => bus.enqueue(runEvents, { runId, event }, id)),
})

/** What a worker of a kind reports of runs, until it has arrived. `report` gives its sequence on the run's topic. */
export const workerReports = (bus: Bus, clock: Clock, kind: RunKind) => ({
  event: (runId: string, event: RunEventOf) => insist(clock, () => bus.enqueue(workerEvents[kind], { runId, event })),
  report: (runId: string, report: Report) => insist(clock, () => bus.publish(runTopic[kind](runId), { runId, report })),
})

export const isEnd = ({ $case }: Report): boolean => $case === 'completed' || $case === 'failed'
