import { secondsTime } from './micro-time.ts'

/** One thing that is so, is not so, or is not known, as `meta/v1 Condition`. */
export type Condition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** A word for machines, CamelCase. */
  reason: string
  /** A sentence for people. */
  message: string
  /** When the status last changed, RFC 3339. */
  lastTransitionTime: string
  /** The generation of the spec that this was found for. */
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
 * The conditions with some of them brought up to date, in the order they had. `lastTransitionTime` moves only when a
 * status changes. Where nothing changes the very list that was given comes back, so that nothing needs to be written.
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

/** How far an object is, for tools that know no kind: kstatus, Flux, Helm. */
export type Progress = 'ready' | 'working' | 'stalled'

/**
 * The three conditions that tell such tools: Ready, and, true only where something is the matter, Reconciling and Stalled.
 * To be written with the first status, since an object without them passes for ready.
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
