import { type Condition, conditionOf } from '../runtime/mod.ts'
import { type DesiredStatus, millisecondsUntil, type RunStatus } from './run-status.ts'

/** Reasons of a run that waits which somebody should do something about. */
const worrying = new Set(['Unschedulable', 'ImagePull'])

/** Seconds that the worker of a run that has ended may take to end, before it is ended. */
const lingering = 60

const readyOf = ({ conditions }: RunStatus): Condition | undefined => conditionOf(conditions, 'Ready')

/** A standing in the words it is to be written with: while an image is tried again and again they alternate, and the first ones are kept. */
export const stabilizeMessage = (status: RunStatus, desiredStatus: DesiredStatus): DesiredStatus => {
  const before = readyOf(status)
  const isTriedAgain =
    desiredStatus.reason === 'ImagePull' && before?.reason === 'ImagePull' && desiredStatus.phase === status.phase
  return isTriedAgain ? { ...desiredStatus, message: before.message } : desiredStatus
}

/** Whether people should be warned of a standing that follows on a status. */
export const isNewWarning = (status: RunStatus, { phase, reason }: DesiredStatus): boolean =>
  phase === 'Pending' && worrying.has(reason) && readyOf(status)?.reason !== reason

/**
 * The standing of a run that has ended, where its status is to be written once more: a change of what may still be changed,
 * such as the time to live, is observed after the end, too.
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

/** The milliseconds that the worker of a run that has ended still has to end by itself. */
export const remainingGraceMilliseconds = ({ completionTime }: RunStatus, now: number): number =>
  millisecondsUntil(completionTime ?? now, lingering, now)
