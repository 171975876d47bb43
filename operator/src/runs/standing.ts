import { type Condition, conditionOf } from '../runtime/mod.ts'
import { millisecondsUntil, type RunStatus, type Standing } from './run-status.ts'

/** Reasons of a run that waits which somebody should do something about. */
const worrying = new Set(['Unschedulable', 'ImagePull'])

/** Seconds that the worker of a run that has ended may take to end, before it is ended. */
const lingering = 60

const readyOf = ({ conditions }: RunStatus): Condition | undefined => conditionOf(conditions, 'Ready')

/** A standing in the words it is to be written with: while an image is tried again and again they alternate, and the first ones are kept. */
export const stabilizeMessage = (status: RunStatus, standing: Standing): Standing => {
  const before = readyOf(status)
  const isTriedAgain =
    standing.reason === 'ImagePull' && before?.reason === 'ImagePull' && standing.phase === status.phase
  return isTriedAgain ? { ...standing, message: before.message } : standing
}

/** Whether people should be warned of a standing that follows on a status. */
export const isNewWarning = (status: RunStatus, { phase, reason }: Standing): boolean =>
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
}): Standing | undefined => {
  const ready = readyOf(status)
  if (status.observedGeneration === metadata.generation || !ready || !status.phase) return undefined
  return { phase: status.phase, reason: ready.reason, message: ready.message }
}

/** The milliseconds that the worker of a run that has ended still has to end by itself. */
export const remainingGraceMilliseconds = ({ completionTime }: RunStatus, now: number): number =>
  millisecondsUntil(completionTime ?? now, lingering, now)
