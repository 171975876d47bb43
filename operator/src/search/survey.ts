import type { Search } from '../crds/mod.ts'
import { isLive, isLoss, type PodState, podStateOf } from '../runs/mod.ts'
import { controllerOf } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { searchPodNames } from './pod.ts'

/** A worker of a run that went without its doing, which was the `attempt`-th, counted from 1. */
export type Loss = { attempt: number; reason: 'Evicted' | 'WorkerLost'; message: string }

/** `isClaimed`: it was taken from a pool, rather than made for the run. `attempt`: which worker of the run it is, counted from 1. */
export type RunPod = { pod: Pod; state: PodState; isClaimed: boolean; attempt: number }

/** The pods of a Search, as its current run sees them. */
export type Survey = {
  /** The one that does the run, or has done it. */
  current?: RunPod
  /** Others of the run that may be at work as well, and must not. */
  surplus: readonly Pod[]
  /** Those of an earlier run that may still be at work. */
  leftovers: readonly Pod[]
  /** The last that was lost. */
  lost?: Loss
  /** The name of a pod that the status speaks of and that is not there. */
  missing?: string
}

/** The attempt that the status of a Search is at. */
export const attemptIn = ({ status }: Search): number => status.attempts ?? 1

const lossOf = ({ state, attempt }: RunPod): Loss | undefined =>
  state.kind === 'failed' && isLoss(state.cause)
    ? { attempt, reason: state.cause === 'Evicted' ? 'Evicted' : 'WorkerLost', message: state.message }
    : undefined

/** Sorts the pods that name a Search as an owner. Of several that live, the one that its status speaks of stays, else the latest attempt. */
export const survey = (search: Search, runId: string, owned: readonly Pod[]): Survey => {
  const controlled = owned.filter((pod) => controllerOf(pod)?.uid === search.metadata.uid)
  const made = searchPodNames(search, runId)
  /** Which attempt at the run a pod is: the name of one that was made says it, and the claim of another one. */
  const attemptOf = (pod: Pod): number =>
    made.indexOf(pod.metadata.name) + 1 || Number(pod.metadata.annotations?.[annotation.runAttempt] ?? 1)
  const seen = controlled.map(
    (pod): RunPod => ({
      pod,
      state: podStateOf(pod),
      isClaimed: !made.includes(pod.metadata.name),
      attempt: attemptOf(pod),
    }),
  )
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
            attempt: made.indexOf(podName) + 1 || attemptIn(search),
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
