import type { Log } from '@trellis/kit/telemetry'
import type { RunKind } from '@trellis/kit/workloads'
import { type Controller, keyOf, type Manager, type Resource, type Store } from '../runtime/mod.ts'
import type { Notices } from './notices.ts'
import { failureOf, type Reporter } from './reporter.ts'
import { type RunObject, runIdIndex, runIdOf, runIdsOf } from './run-id.ts'
import { isFinished } from './run-status.ts'

export type AttendOptions<Run extends RunObject> = {
  kind: RunKind
  resource: Resource<Run>
  /** With `runIndexes`. */
  store: Store<Run>
  notices: Notices
  reporter: Reporter
  log: Log
  /** Lets go of what else is kept for an object that was deleted. */
  forget: (object: Run) => void
}

/**
 * Has a controller look at its runs when something is said of them, and tells whoever waits for a run that its object was
 * deleted. While nobody leads nobody does: then who asks again is told.
 */
export const attendRuns = <Run extends RunObject>(
  manager: Pick<Manager, 'whileLeading'>,
  controller: Pick<Controller, 'queue'>,
  { kind, resource, store, notices, reporter, log, forget }: AttendOptions<Run>,
): void => {
  let isLeading = false
  // The signal ends the work, not the leading: what is under way still writes.
  manager.whileLeading(async (signal) => {
    isLeading = true
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  })
  notices.read({
    kind,
    keyOf: (runId) => store.by(runIdIndex, runId).map(({ metadata }) => keyOf(metadata))[0],
    enqueue: (key) => controller.queue.add(key),
  })
  store.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    forget(object)
    for (const runId of runIdsOf(object)) notices.forget(runId)
    if (!isLeading || isFinished(object)) return
    const runId = runIdOf(object)
    log.info({ runId, object: keyOf(object.metadata) }, 'a run ended: its object was deleted')
    reporter
      .failed(runId, failureOf('Cancelled', `The ${resource.kind} was deleted.`))
      .catch((error: unknown) => log.warn({ err: error, runId }, 'a deletion could not be told'))
  })
}
