import type { Log } from '@trellis/kit/telemetry'
import type { RunKind } from '@trellis/kit/workloads'
import {
  awaitedPriority,
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
import type { RunEventOf } from './run-facts.ts'
import { runIdIndex, runIdOf, runIdsOf } from './run-id.ts'
import type { RunObject } from './run-object.ts'
import { isFinished } from './run-status.ts'
import { concludingQuietly } from './waiting.ts'

export type AttendOptions<Run extends RunObject> = {
  kind: RunKind
  /** Events that its runs do not depend on. */
  ignored?: ReadonlySet<RunEventOf['$case']> | undefined
  resource: Resource<Run>
  /** A cache with `runIndexes`. */
  store: Store<Run>
  events: RunEvents
  reporter: Reporter
  clock: Clock
  log: Log
  /** Releases the other state of a deleted object. */
  onDeleted: (object: Run) => void
}

/** Events that decide nothing for a moment, in which the next may arrive. */
const deferred: ReadonlySet<RunEventOf['$case']> = new Set(['progress', 'worked'])

/**
 * Enqueues runs in their controller when run events arrive, and reports a run as failed when its object is deleted.
 * Deletions while no replica leads are not reported; services learn of them when they next request the run.
 */
export const attendRuns = <Run extends RunObject>(
  manager: Pick<Manager, 'whileLeading'>,
  controller: Pick<Controller, 'queue'>,
  { kind, ignored, resource, store, events, reporter, clock, log, onDeleted }: AttendOptions<Run>,
): void => {
  let isLeading = false
  // The signal ends the work, not the leadership: reconciles still running may still write.
  manager.whileLeading(async (signal) => {
    isLeading = true
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  })
  events.read({
    kind,
    ...(ignored && { ignored }),
    keyOf: (runId) => store.by(runIdIndex, runId).map(({ metadata }) => keyOf(metadata))[0],
    // The queue of the bus waits for the status; a backlog of new objects does not.
    enqueue: (key, event) =>
      controller.queue.addAfter(key, deferred.has(event) ? concludingQuietly : 0, awaitedPriority),
  })
  store.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    onDeleted(object)
    for (const runId of runIdsOf(object)) events.drop(runId)
    if (!isLeading || isFinished(object)) return
    const runId = runIdOf(object)
    const message = `The ${resource.kind} was deleted.`
    // The run of a suspended object ended with the suspension, which logged its end.
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
      .catch((error: unknown) => log.warn({ err: error, runId }, 'the end of a deleted run could not be reported'))
  })
}
