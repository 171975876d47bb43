import {
  type Condition,
  type ConditionState,
  conditionOf,
  mergeConditions,
  type Progress,
  progressConditions,
  secondsTime,
} from '../runtime/mod.ts'

/** How a run stands, as its status says it: one word for programs and a sentence for people. */
export type DesiredStatus =
  | { phase: 'Pending' | 'Running' | 'Complete'; reason: string; message: string }
  | { phase: 'Failed'; reason: string; message: string }

export type RunPhase = DesiredStatus['phase']

/** What the statuses of all runs have, as far as it is reckoned with here. Times are text, RFC 3339 to the second. */
export type RunStatus = {
  observedGeneration?: number
  phase?: RunPhase
  conditions?: readonly Condition[]
  startTime?: string
  completionTime?: string
  podName?: string
}

/** An object whose status is that of a run. */
export type RunOf<Status extends RunStatus> = { metadata: { generation?: number }; status: Status }

const progressOf: Record<RunPhase, Progress> = {
  Pending: 'working',
  Running: 'working',
  Complete: 'ready',
  Failed: 'stalled',
}

const terminalOf: Partial<Record<RunPhase, string>> = { Complete: 'Complete', Failed: 'Failed' }

/** The conditions of a run that stands so: Ready, Reconciling and Stalled; once it has ended also Complete or Failed. */
const conditionsOf = ({ phase, reason, message }: DesiredStatus, observedGeneration: number): ConditionState[] => {
  const terminal = terminalOf[phase]
  return [
    ...progressConditions(progressOf[phase], { reason, message, observedGeneration }),
    ...(terminal ? [{ type: terminal, status: 'True' as const, reason, message, observedGeneration }] : []),
  ]
}

/**
 * The part of the status that every run has, when it stands so at `now` (milliseconds). `completionTime` is set with the
 * end; the conditions are the very list that the object has where nothing about them changed.
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
    conditions: mergeConditions(status.conditions ?? [], conditionsOf(desiredStatus, generation), now),
    ...(terminalOf[desiredStatus.phase] ? { completionTime: status.completionTime ?? secondsTime(now) } : {}),
  }
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** A status as it is wanted; what is null is to go. */
export type Desired<Status> = { [Name in keyof Status]?: Status[Name] | null }

/** What a merge patch must say to make a status the one that is wanted; undefined where it is that already. */
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

/** Whether a run has ended, well or not. What has ended does not change any more. */
export const isFinished = ({ status }: { status?: { phase?: string } }): boolean =>
  status?.phase === 'Complete' || status?.phase === 'Failed'

/** The condition that says why a run failed; undefined where it did not. */
export const failureCondition = ({ status }: { status: RunStatus }): Condition | undefined =>
  conditionOf(status.conditions, 'Failed')

/** The milliseconds from `now` until so many seconds have passed since a time; 0 where they have. */
export const millisecondsUntil = (since: string | number, seconds: number, now: number): number =>
  Math.max(0, (typeof since === 'number' ? since : Date.parse(since)) + seconds * 1_000 - now)

/** The milliseconds until an object that has ended is removed; undefined while it has not ended. */
export const expiresIn = (
  { status, spec }: { status: RunStatus; spec: { ttlSecondsAfterFinished: number } },
  now: number,
): number | undefined =>
  status.completionTime === undefined
    ? undefined
    : millisecondsUntil(status.completionTime, spec.ttlSecondsAfterFinished, now)
