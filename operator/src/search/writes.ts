import { type Search, type SearchStatus, searches } from '../crds/mod.ts'
import { type Desired, writeRunStatus } from '../runs/mod.ts'
import { createOwned, findOwned, remove } from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'
import type { SearchDependencies } from './dependencies.ts'
import { searchPod } from './pod.ts'

/** Patches the status; see `writeRunStatus`. */
export const writeStatus = (
  { client, searches: store }: SearchDependencies,
  search: Search,
  desired: Desired<SearchStatus>,
  signal: AbortSignal,
): Promise<SearchStatus> => writeRunStatus({ client, resource: searches, store }, search, desired, signal)

/** Deletes a pod if it still has the uid that was read. */
export const stopPod = ({ client }: SearchDependencies, pod: Pod, signal: AbortSignal): Promise<void> =>
  remove(client, pods, pod, { signal })

/** Deletes an expired Search; its pods are garbage-collected with it. */
export const removeSearch = ({ client }: SearchDependencies, search: Search, signal: AbortSignal): Promise<void> =>
  remove(client, searches, search, { signal })

/** Creates the pod for an attempt at a run, or returns the existing one if the cache does not show it yet. */
export const makePod = (
  { client, template, instance }: SearchDependencies,
  search: Search,
  { runId, attempt }: { runId: string; attempt: number },
  signal: AbortSignal,
): Promise<Pod> =>
  createOwned(client, pods, searchPod(search, { runId, attempt, template, instance }), search, { signal })

/** Reads a pod from the server; undefined unless the Search controls it. */
export const findPod = (
  { client }: SearchDependencies,
  search: Search,
  name: string,
  signal: AbortSignal,
): Promise<Pod | undefined> =>
  findOwned(client, pods, { name, namespace: search.metadata.namespace ?? 'default' }, search, { signal })
