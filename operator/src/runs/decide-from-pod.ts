import { type Ending, fail, noReport, pending } from './ending.ts'
import type { PodState } from './pod-state.ts'
import { awaitReport, starting, type Waiting, wait } from './waiting.ts'

/** States of a pod that mean the same for every kind of run. */
export type PlainPodState = Extract<PodState, { kind: 'starting' | 'unable' | 'ending' | 'succeeded' }>

/** Times are milliseconds since 1970; `left` is the milliseconds until the run's deadline. */
export type PodTimes = { quietUntil: number; endedAt: number; now: number; left: number }

/** Decides about a run from the state of its worker's pod. `isStarted`: the worker has started the run. */
export const decideFromPod = (
  state: PlainPodState,
  isStarted: boolean,
  { quietUntil, endedAt, ...time }: PodTimes,
): Ending | Waiting => {
  switch (state.kind) {
    case 'starting':
      return starting(quietUntil, time, pending('Starting', state.message))
    case 'unable':
      return state.isFinal ? fail(state.reason, state.message) : wait(time.left, pending(state.reason, state.message))
    case 'ending':
      // Its events still count; a replacement is created once it is gone.
      return wait(time.left, { phase: isStarted ? 'Running' : 'Pending', reason: 'WorkerLost', message: state.message })
    case 'succeeded':
      return awaitReport(endedAt, time, noReport('The worker ended well'))
  }
}
