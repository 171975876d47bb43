import { type Search, searches } from '../crds/mod.ts'
import { type Draft, deterministicName, ownerReference } from '../runtime/mod.ts'
import { commonLabels, label, type Pod, podMetadata, podSpec, type WorkerTemplate } from '../workers/mod.ts'

/** How often a run is begun at most: a worker that is lost is replaced once. */
export const maxAttempts = 2

/** The name of the pod that is made for an attempt, counted from 1, of a run: to make it twice is to make it once. */
export const searchPodName = ({ metadata }: Search, runId: string, attempt: number): string =>
  deterministicName([metadata.name, metadata.uid, runId, String(attempt)])

/** The names of all pods that may be made for a run, by attempt. One of another name was taken from a pool. */
export const searchPodNames = (search: Search, runId: string): string[] =>
  Array.from({ length: maxAttempts }, (_, before) => searchPodName(search, runId, before + 1))

/** A pod for an attempt at a Search that no waiting worker took. What to search for it hears over the bus. */
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
