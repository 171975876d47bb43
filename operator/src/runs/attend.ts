import type { Log } from '@trellis/kit/telemetry'
import type { RunKind } from '@trellis/kit/workloads'
import {
  type Clock,
  type Controller,
  conditionOf,
  keyOf,
  type Manager,
  type Resource,
  type Store,
} from '../runtime/mod.ts'
import { logEnd } from './log-end.ts'
import { failureOf, type Reporter } from './reporter.ts'
import type { RunEvents } from './run-events.ts'
import { type RunObject, runIdIndex, runIdOf, runIdsOf } from './run-id.ts'
import { isFinished, type RunStatus } from './run-status.ts'

export type AttendOptions<Run extends RunObject & { status: RunStatus }> = {
  kind: RunKind
  resource: Resource<Run>
  /** With `runIndexes`. */
  store: Store<Run>
  events: RunEvents
  reporter: Reporter
  clock: Clock
  log: Log
  /** Lets go of what else is kept for an object that was deleted. */
  forget: (object: Run) => void
}

/**
 * Has a controller look at its runs when something is said of them, and tells whoever waits for a run that its object was
 * deleted. While nobody leads nobody does: then who asks again is told.
 */
export const attendRuns = <Run extends RunObject & { status: RunStatus }>(
  manager: Pick<Manager, 'whileLeading'>,
  controller: Pick<Controller, 'queue'>,
  { kind, resource, store, events, reporter, clock, log, forget }: AttendOptions<Run>,
): void => {
  let isLeading = false
  // The signal ends the work, not the leading: what is under way still writes.
  manager.whileLeading(async (signal) => {
    isLeading = true
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  })
  events.read({
    kind,
    keyOf: (runId) => store.by(runIdIndex, runId).map(({ metadata }) => keyOf(metadata))[0],
    enqueue: (key) => controller.queue.add(key),
  })
  store.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    forget(object)
    for (const runId of runIdsOf(object)) events.forget(runId)
    if (!isLeading || isFinished(object)) return
    const runId = runIdOf(object)
    const message = `The ${resource.kind} was deleted.`
    // The run of a suspended object ended with the suspension, and has its line.
    if (conditionOf(object.status.conditions, 'Ready')?.reason !== 'Suspended')
      logEnd(log, {
        workload: kind,
        object,
        runId,
        desiredStatus: { phase: 'Failed', reason: 'Cancelled', message },
        now: clock.now(),
      })
    reporter
      .failed(runId, failureOf('Cancelled', message))
      .catch((error: unknown) => log.warn({ err: error, runId }, 'a deletion could not be told'))
  })
}
