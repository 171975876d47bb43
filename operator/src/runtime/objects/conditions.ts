import { secondsTime } from './micro-time.ts'

/** A condition of an object, as in `meta/v1 Condition`. */
export type Condition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** Machine-readable, CamelCase. */
  reason: string
  /** Human-readable sentence. */
  message: string
  /** When the status last changed, RFC 3339. */
  lastTransitionTime: string
  /** The generation of the spec that the condition was derived from. */
  observedGeneration?: number
}

export type ConditionState = Omit<Condition, 'lastTransitionTime'>

const isSame = (a: ConditionState, b: ConditionState): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.observedGeneration === b.observedGeneration

/** Finds a condition by its type. */
export const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type)

/**
 * Updates conditions in place of their old values, preserving the order. `lastTransitionTime` moves only when a status
 * changes. Returns the same array if nothing changes, so that the caller can skip the write.
 */
export const mergeConditions = (
  conditions: readonly Condition[],
  states: readonly ConditionState[],
  now: number,
): readonly Condition[] => {
  let merged = conditions
  for (const state of states) {
    const held = conditionOf(merged, state.type)
    if (held && isSame(held, state)) continue
    const lastTransitionTime = held?.status === state.status ? held.lastTransitionTime : secondsTime(now)
    const next: Condition = { ...state, lastTransitionTime }
    merged = held ? merged.map((condition) => (condition === held ? next : condition)) : [...merged, next]
  }
  return merged
}

/**
 * The message to write with a reason. While an image pull is retried, its messages alternate (`ErrImagePull`,
 * `ImagePullBackOff`): the first one of a generation is retained, or each retry would be a write.
 */
export const stableMessage = (
  conditions: readonly Condition[] | undefined,
  { reason, message, observedGeneration }: { reason: string; message: string; observedGeneration: number },
): string => {
  const before = conditionOf(conditions, 'Ready')
  const isRetried =
    reason === 'ImagePull' && before?.reason === reason && before.observedGeneration === observedGeneration
  return isRetried ? before.message : message
}

/** Progress of an object for generic tools: kstatus, Flux, Helm. */
export type Progress = 'ready' | 'working' | 'stalled'

/**
 * The three conditions that those tools read: Ready, and, with status True only in the abnormal case, Reconciling and
 * Stalled. Write them with the first status, since an object without them passes for ready.
 */
export const progressConditions = (
  progress: Progress,
  { reason, message, observedGeneration }: { reason: string; message: string; observedGeneration: number },
): ConditionState[] => {
  const state = (type: string, holds: boolean): ConditionState => ({
    type,
    status: holds ? 'True' : 'False',
    reason,
    message,
    observedGeneration,
  })
  return [
    state('Ready', progress === 'ready'),
    state('Reconciling', progress === 'working'),
    state('Stalled', progress === 'stalled'),
  ]
}
