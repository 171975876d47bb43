import { type Condition, conditionOf, stableMessage } from '../runtime/mod.ts'
import { type DesiredStatus, millisecondsUntil, type RunStatus } from './run-status.ts'

/** Reasons of pending runs that the user should act on. */
const worrying = new Set(['Unschedulable', 'ImagePull'])

/** Seconds that the worker of a finished run has to exit before it is stopped. */
const lingering = 60

const readyOf = ({ conditions }: RunStatus): Condition | undefined => conditionOf(conditions, 'Ready')

/**
 * Stabilizes the message of a status: while an image pull is retried its messages alternate, so the first one is
 * retained.
 */
export const stabilizeMessage = (status: RunStatus, desiredStatus: DesiredStatus): DesiredStatus => {
  if (desiredStatus.phase !== status.phase) return desiredStatus
  const observedGeneration = readyOf(status)?.observedGeneration ?? 0
  return { ...desiredStatus, message: stableMessage(status.conditions, { ...desiredStatus, observedGeneration }) }
}

/** Whether a new status deserves a warning event. */
export const isNewWarning = (status: RunStatus, { phase, reason }: DesiredStatus): boolean =>
  phase === 'Pending' && worrying.has(reason) && readyOf(status)?.reason !== reason

/**
 * The status of a finished run if it must be written once more: a spec change that is still allowed, such as the time
 * to live, is observed after the end, too.
 */
export const staleStatus = ({
  metadata,
  status,
}: {
  metadata: { generation?: number }
  status: RunStatus
}): DesiredStatus | undefined => {
  const ready = readyOf(status)
  if (status.observedGeneration === metadata.generation || !ready || !status.phase) return undefined
  return { phase: status.phase, reason: ready.reason, message: ready.message }
}

/** Milliseconds left for the worker of a finished run to exit by itself. */
export const remainingGraceMilliseconds = ({ completionTime }: RunStatus, now: number): number =>
  millisecondsUntil(completionTime ?? now, lingering, now)
