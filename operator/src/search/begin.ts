import { searches } from '../crds/mod.ts'
import { lookedAgain, podStateOf } from '../runs/mod.ts'
import { createOwned, ownerReference, type Result, requeueAfter } from '../runtime/mod.ts'
import { annotation, pods as podKind } from '../workers/mod.ts'
import type { Decision } from './decide.ts'
import type { SearchDependencies, SearchRun } from './dependencies.ts'
import { searchPod } from './pod.ts'

/** Claims an idle pod for an attempt, else creates one, and assigns the run to it at once. */
const getPod = async (dependencies: SearchDependencies, run: SearchRun, attempt: number): Promise<SearchRun> => {
  const { client, claims, ownPods, steps, template, instance } = dependencies
  const { object, runId, found, signal } = run
  const claim = {
    workload: 'search' as const,
    namespace: object.metadata.namespace ?? 'default',
    owner: ownerReference(searches, object),
    runId,
    annotations: { [annotation.runAttempt]: String(attempt) },
  }
  const claimed = await claims.claim(claim, signal)
  const draft = () => searchPod(object, { runId, attempt, template, instance })
  // Returns the existing pod if the cache does not show it yet.
  const pod = claimed ?? (await createOwned(client, podKind, draft(), object, { signal }))
  ownPods.note(object.metadata.uid, pod)
  await steps.assign(run, pod)
  return {
    ...run,
    found: { ...found, current: { pod, state: podStateOf(pod), isClaimed: claimed !== undefined, attempt } },
  }
}

/** Starts an attempt at a run once the previous run's workers have ended and a slot is free. */
export const begin = async (
  dependencies: SearchDependencies,
  run: SearchRun,
  { attempt, because }: Extract<Decision, { kind: 'obtain' }>,
): Promise<Result> => {
  const { steps, limiter } = dependencies
  const { object, found, signal } = run
  for (const pod of found.leftovers) await steps.stopPod(pod, signal)
  if (found.leftovers.length > 0) return requeueAfter(lookedAgain)
  const { namespace, name, uid } = object.metadata
  if (!limiter.take(uid, `${namespace}/${name}`)) return steps.waitForSlot(run, { isQuiet: true })
  return steps.obtain(run, {
    getWorker: () => getPod(dependencies, run, attempt),
    because,
    refused: 'pod',
    // After any other failure the slot stays taken until it is clear whether there is a pod.
    onRefused: () => limiter.leave(uid),
  })
}
