import { conditionOf } from '../runtime/mod.ts'
import type { RunFacts } from './run-facts.ts'
import type { RunStatus } from './run-status.ts'

const isFinishedEvent = ({ conditions }: RunStatus): boolean => conditionOf(conditions, 'Ready')?.reason === 'Finished'

/**
 * Whether this worker has started, by an event or by the status if the event preceded this process. An earlier worker's
 * start does not count.
 */
export const hasStarted = (facts: RunFacts, status: RunStatus, worker: string): boolean =>
  facts.started?.worker === worker || (status.phase === 'Running' && status.podName === worker)

/** Whether the worker has finished its part, by an event or by the status. */
export const hasWorked = (facts: RunFacts, status: RunStatus): boolean =>
  facts.worked !== undefined || (status.phase === 'Running' && isFinishedEvent(status))

/**
 * Whether the status reflects all events of a run with this worker. A failure is reflected only by the end of the run.
 */
export const reflects = (status: RunStatus, facts: RunFacts, worker: string | undefined): boolean =>
  !facts.failed &&
  (facts.started === undefined || facts.started.worker !== worker || status.phase === 'Running') &&
  (!facts.worked || isFinishedEvent(status))
