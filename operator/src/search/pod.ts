import { type Search, searches } from '../crds/mod.ts'
import { type Draft, deterministicName, ownerReference } from '../runtime/mod.ts'
import { commonLabels, label, type Pod, podMetadata, podSpec, type WorkerTemplate } from '../workers/mod.ts'

/** Maximum number of attempts at a run: a lost worker is replaced once. */
export const maxAttempts = 2

/** The deterministic name of the pod for an attempt, counted from 1, which makes its creation idempotent. */
export const searchPodName = ({ metadata }: Search, runId: string, attempt: number): string =>
  deterministicName([metadata.name, metadata.uid, runId, String(attempt)])

/**
 * The names of all pods that may be created for a run, by attempt. A pod with another name was claimed from a pool.
 */
export const searchPodNames = (search: Search, runId: string): string[] =>
  Array.from({ length: maxAttempts }, (_, before) => searchPodName(search, runId, before + 1))

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
