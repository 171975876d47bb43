import type { Search } from '../crds/mod.ts'
import { isLive, isLoss, type PodState, podStateOf } from '../runs/mod.ts'
import { controllerOf } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { attemptOfName } from './pod.ts'

/** A lost worker of a run, which was its `attempt`-th, counted from 1. */
export type Loss = { attempt: number; reason: 'Evicted' | 'WorkerLost'; message: string }

/**
 * `isClaimed`: claimed from a pool instead of created for the run. `attempt`: which worker of the run it is, counted
 * from 1.
 */
export type RunPod = { pod: Pod; state: PodState; isClaimed: boolean; attempt: number }

/** The pods of a Search from the perspective of its current run. */
export type Survey = {
  /** The pod that does the run, or has done it. */
  current?: RunPod
  /** Other pods of the run that may be working as well, and must not. */
  surplus: readonly Pod[]
  /** Pods of an earlier run that may still be working. */
  leftovers: readonly Pod[]
  /** The last lost worker. */
  lost?: Loss
  /** The name of a pod that the status names and that does not exist. */
  missing?: string
}

/** The current attempt according to the status. */
export const attemptIn = ({ status }: Search): number => status.attempts ?? 1

const lossOf = ({ state, attempt }: RunPod): Loss | undefined =>
  state.kind === 'failed' && isLoss(state.cause)
    ? { attempt, reason: state.cause === 'Evicted' ? 'Evicted' : 'WorkerLost', message: state.message }
    : undefined

/**
 * Classifies the pods owned by a Search. Of several live ones, the one named by the status stays, otherwise the latest
 * attempt.
 */
export const survey = (search: Search, runId: string, owned: readonly Pod[]): Survey => {
  const controlled = owned.filter((pod) => controllerOf(pod)?.uid === search.metadata.uid)
  const seen = controlled.map((pod): RunPod => {
    const ofName = attemptOfName(search, runId, pod.metadata.name)
    return {
      pod,
      state: podStateOf(pod),
      isClaimed: ofName === undefined,
      attempt: ofName ?? Number(pod.metadata.annotations?.[annotation.runAttempt] ?? 1),
    }
  })
  const ofRun = seen.filter(({ pod }) => pod.metadata.labels?.[label.runId] === runId)
  const { podName, sessionId } = search.status

  const live = ofRun
    .filter(({ state }) => isLive(state))
    .sort(
      (a, b) =>
        Number(b.pod.metadata.name === podName) - Number(a.pod.metadata.name === podName) ||
        b.attempt - a.attempt ||
        a.pod.metadata.name.localeCompare(b.pod.metadata.name),
    )
  const isMissing =
    podName !== undefined && sessionId === runId && !ofRun.some(({ pod }) => pod.metadata.name === podName)
  const losses = [
    ...ofRun.flatMap((found) => lossOf(found) ?? []),
    ...(isMissing
      ? [
          {
            attempt: attemptOfName(search, runId, podName) ?? attemptIn(search),
            reason: 'WorkerLost' as const,
            message: `Its pod ${podName} is gone.`,
          },
        ]
      : []),
  ].sort((a, b) => b.attempt - a.attempt)
  const current = live[0] ?? ofRun.find((found) => !isLive(found.state) && !lossOf(found))

  return {
    surplus: live.slice(1).map(({ pod }) => pod),
    leftovers: seen
      .filter(({ pod, state }) => pod.metadata.labels?.[label.runId] !== runId && isLive(state))
      .map(({ pod }) => pod),
    ...(current ? { current } : {}),
    ...(losses[0] ? { lost: losses[0] } : {}),
    ...(isMissing ? { missing: podName } : {}),
  }
}
