import { type Search, searches } from '../crds/mod.ts'
import { type Draft, deterministicName, ownerReference } from '../runtime/mod.ts'
import { commonLabels, label, type Pod, podMetadata, podSpec, type WorkerTemplate } from '../workers/mod.ts'

/** Maximum number of attempts at a run: a lost worker is replaced once. */
export const maxAttempts = 2

/** The deterministic name of the pod for an attempt, counted from 1, which makes its creation idempotent. */
export const searchPodName = ({ metadata }: Search, runId: string, attempt: number): string =>
  deterministicName([metadata.name, metadata.uid, runId, String(attempt)])

/** The attempt that a pod was created for, or undefined for a pod with another name, which was claimed from a pool. */
export const attemptOfName = (search: Search, runId: string, podName: string): number | undefined => {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (searchPodName(search, runId, attempt) === podName) return attempt
  }
  return undefined
}

/** Builds the pod for an attempt at a Search that claimed no idle worker. It receives its input over the bus. */
export const searchPod = (
  search: Search,
  {
    runId,
    attempt,
    template,
    instance,
  }: { runId: string; attempt: number; template: WorkerTemplate; instance: string },
): Draft<Pod> => ({
  metadata: {
    name: searchPodName(search, runId, attempt),
    namespace: search.metadata.namespace ?? 'default',
    ...podMetadata(template, {
      labels: {
        ...commonLabels({ instance, component: 'search-worker' }),
        [label.workload]: 'search',
        [label.runId]: runId,
      },
    }),
    ownerReferences: [ownerReference(searches, search)],
  },
  spec: podSpec(template),
})
