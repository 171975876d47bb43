import { conditionOf } from '../runtime/mod.ts'
import type { RunFacts } from './run-facts.ts'
import type { RunStatus } from './run-status.ts'

const isFinishedEvent = ({ conditions }: RunStatus): boolean => conditionOf(conditions, 'Ready')?.reason === 'Finished'

/** Whether a worker was heard to start, now or before this process was there to hear it. An earlier one's start is not its. */
export const hasStarted = (facts: RunFacts, status: RunStatus, worker: string): boolean =>
  facts.started?.worker === worker || (status.phase === 'Running' && status.podName === worker)

/** Whether the worker was heard to have done its part, now or before. */
export const hasWorked = (facts: RunFacts, status: RunStatus): boolean =>
  facts.worked !== undefined || (status.phase === 'Running' && isFinishedEvent(status))

/** Whether a status says all that was heard of a run whose worker this is. What failed is reflected by the end alone. */
export const reflects = (status: RunStatus, facts: RunFacts, worker: string | undefined): boolean =>
  !facts.failed &&
  (facts.started === undefined || facts.started.worker !== worker || status.phase === 'Running') &&
  (!facts.worked || isFinishedEvent(status))
