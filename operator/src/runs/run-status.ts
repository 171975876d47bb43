import {
  type Condition,
  type ConditionState,
  conditionOf,
  mergeConditions,
  type Progress,
  progressConditions,
  secondsTime,
} from '../runtime/mod.ts'

/** The state of a run to be written to its status: a phase and reason for programs, and a sentence for people. */
export type DesiredStatus =
  | { phase: 'Pending' | 'Running' | 'Complete'; reason: string; message: string }
  | { phase: 'Failed'; reason: string; message: string }

export type RunPhase = DesiredStatus['phase']

/** The status fields that all runs share, as far as they are used here. Times are text, RFC 3339 to the second. */
export type RunStatus = {
  observedGeneration?: number
  phase?: RunPhase
  conditions?: readonly Condition[]
  startTime?: string
  completionTime?: string
  podName?: string
}

/** An object with the status of a run. */
export type RunOf<Status extends RunStatus> = { metadata: { generation?: number }; status: Status }

const progressOf: Record<RunPhase, Progress> = {
  Pending: 'working',
  Running: 'working',
  Complete: 'ready',
  Failed: 'stalled',
}

const terminalOf: Partial<Record<RunPhase, string>> = { Complete: 'Complete', Failed: 'Failed' }

/** The conditions of a run in this state: Ready, Reconciling and Stalled; Complete or Failed once it has ended. */
const conditionsOf = ({ phase, reason, message }: DesiredStatus, observedGeneration: number): ConditionState[] => {
  const terminal = terminalOf[phase]
  return [
    ...progressConditions(progressOf[phase], { reason, message, observedGeneration }),
    ...(terminal ? [{ type: terminal, status: 'True' as const, reason, message, observedGeneration }] : []),
  ]
}

/** Conditions of the kind that last, such as GPUFallback, as of a generation: they hold for each, since what they report stays. */
const lasting = (conditions: readonly Condition[], observedGeneration: number): readonly Condition[] =>
  conditions.every((condition) => condition.observedGeneration === observedGeneration)
    ? conditions
    : conditions.map((condition) => ({ ...condition, observedGeneration }))

/**
 * Builds the shared part of a run's status at `now` (milliseconds). `completionTime` is set with the end; `conditions`
 * is the same array as before if none of them changed.
 */
export const runStatus = <Status extends RunStatus>(
  { metadata, status }: RunOf<Status>,
  desiredStatus: DesiredStatus,
  now: number,
): Pick<RunStatus, 'observedGeneration' | 'phase' | 'conditions' | 'completionTime'> => {
  const generation = metadata.generation ?? 1
  return {
    observedGeneration: generation,
    phase: desiredStatus.phase,
    conditions: mergeConditions(
      lasting(status.conditions ?? [], generation),
      conditionsOf(desiredStatus, generation),
      now,
    ),
    ...(terminalOf[desiredStatus.phase] ? { completionTime: status.completionTime ?? secondsTime(now) } : {}),
  }
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** A desired status; null removes a field. */
export type Desired<Status> = { [Name in keyof Status]?: Status[Name] | null }

/** Builds the merge patch that turns a status into the desired one; undefined if nothing differs. */
export const statusChanges = <Status extends object>(
  status: Status,
  desired: Desired<Status>,
): Desired<Status> | undefined => {
  const changes = Object.entries(desired).filter(([name, value]) => {
    const held = (status as Record<string, unknown>)[name]
    return value !== undefined && !isSame(held ?? null, value)
  })
  return changes.length === 0 ? undefined : (Object.fromEntries(changes) as Desired<Status>)
}

/** Whether a run has ended, successfully or not. A finished run never changes again. */
export const isFinished = ({ status }: { status?: { phase?: string } }): boolean =>
  status?.phase === 'Complete' || status?.phase === 'Failed'

/** The condition that states why a run failed; undefined if it did not. */
export const failureCondition = ({ status }: { status: RunStatus }): Condition | undefined =>
  conditionOf(status.conditions, 'Failed')

/** The milliseconds from `now` until this many seconds have passed since a time; 0 if they have. */
export const millisecondsUntil = (since: string | number, seconds: number, now: number): number =>
  Math.max(0, (typeof since === 'number' ? since : Date.parse(since)) + seconds * 1_000 - now)

/** The milliseconds until a finished object is removed; undefined while it has not ended. */
export const expiresIn = (
  { status, spec }: { status: RunStatus; spec: { ttlSecondsAfterFinished: number } },
  now: number,
): number | undefined =>
  status.completionTime === undefined
    ? undefined
    : millisecondsUntil(status.completionTime, spec.ttlSecondsAfterFinished, now)
