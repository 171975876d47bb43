import type { Search } from '../crds/mod.ts'
import { isLive, isLoss, type PodState, podStateOf } from '../runs/mod.ts'
import { controllerOf } from '../runtime/mod.ts'
import { label, type Pod } from '../workers/mod.ts'
import { searchPodNames } from './pod.ts'

/** A worker of a run that went without its doing, which was the `attempt`-th, counted from 1. */
export type Loss = { attempt: number; reason: 'Evicted' | 'WorkerLost'; message: string }

/** `isClaimed`: it was taken from a pool, rather than made for the run. */
export type RunPod = { pod: Pod; state: PodState; isClaimed: boolean }

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

const lossOf = ({ state }: RunPod, attempt: number): Loss | undefined =>
  state.kind === 'failed' && isLoss(state.cause)
    ? { attempt, reason: state.cause === 'Evicted' ? 'Evicted' : 'WorkerLost', message: state.message }
    : undefined

/** Sorts the pods that name a Search as an owner. Of several that live, the one that its status speaks of stays, else the latest attempt. */
export const survey = (search: Search, runId: string, owned: readonly Pod[]): Survey => {
  const controlled = owned.filter((pod) => controllerOf(pod)?.uid === search.metadata.uid)
  const made = searchPodNames(search, runId)
  /** Which attempt at the run a pod is, by its name. Claimed pods are the first: later ones are made. */
  const attemptOf = (name: string): number => Math.max(made.indexOf(name) + 1, 1)
  const seen = controlled.map(
    (pod): RunPod => ({ pod, state: podStateOf(pod), isClaimed: !made.includes(pod.metadata.name) }),
  )
  const ofRun = seen.filter(({ pod }) => pod.metadata.labels?.[label.runId] === runId)
  const attempt = ({ metadata }: Pod) => attemptOf(metadata.name)
  const { podName, sessionId } = search.status

  const live = ofRun
    .filter(({ state }) => isLive(state))
    .sort(
      (a, b) =>
        Number(b.pod.metadata.name === podName) - Number(a.pod.metadata.name === podName) ||
        attempt(b.pod) - attempt(a.pod) ||
        a.pod.metadata.name.localeCompare(b.pod.metadata.name),
    )
  const isMissing =
    podName !== undefined && sessionId === runId && !ofRun.some(({ pod }) => pod.metadata.name === podName)
  const losses = [
    ...ofRun.flatMap((found) => lossOf(found, attempt(found.pod)) ?? []),
    ...(isMissing
      ? [
          {
            attempt: attemptOf(podName),
            reason: 'WorkerLost' as const,
            message: `Its pod ${podName} is gone.`,
          },
        ]
      : []),
  ].sort((a, b) => b.attempt - a.attempt)
  const current = live[0] ?? ofRun.find((found) => !isLive(found.state) && !lossOf(found, 1))

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
