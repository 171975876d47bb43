import { type Ending, fail, noReport, pending } from './ending.ts'
import type { PodState } from './pod-state.ts'
import { awaitReport, debounced, type Waiting, wait } from './waiting.ts'

/** How a pod stands where that means the same for every kind of run. */
export type PlainPodState = Extract<PodState, { kind: 'starting' | 'unable' | 'ending' | 'succeeded' }>

/** Times are milliseconds since 1970, or left until the run's deadline. */
export type PodTimes = { acceptedAt: number; endedAt: number; now: number; left: number }

/** What is to be done about a run whose worker's pod is as it is. `isStarted`: the worker has begun with the run. */
export const decideFromPod = (
  state: PlainPodState,
  isStarted: boolean,
  { acceptedAt, endedAt, ...time }: PodTimes,
): Ending | Waiting => {
  switch (state.kind) {
    case 'starting':
      return debounced(acceptedAt, time, pending('Starting', state.message))
    case 'unable':
      return state.isFinal ? fail(state.reason, state.message) : wait(time.left, pending(state.reason, state.message))
    case 'ending':
      // What it still says is heard; another one is begun when it is gone.
      return wait(time.left, { phase: isStarted ? 'Running' : 'Pending', reason: 'WorkerLost', message: state.message })
    case 'succeeded':
      return awaitReport(endedAt, time, noReport('The worker ended well'))
  }
}
