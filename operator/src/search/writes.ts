import { type Search, type SearchStatus, searches } from '../crds/mod.ts'
import { type Desired, writeRunStatus } from '../runs/mod.ts'
import { createOwned, findOwned, remove } from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'
import type { SearchDependencies } from './dependencies.ts'
import { searchPod } from './pod.ts'

/** Brings a status to what is wanted; see `writeRunStatus`. */
export const writeStatus = (
  { client, searches: store }: SearchDependencies,
  search: Search,
  desired: Desired<SearchStatus>,
  signal: AbortSignal,
): Promise<SearchStatus> => writeRunStatus({ client, resource: searches, store }, search, desired, signal)

/** Asks for the end of a pod, if it is still the one that was looked at. */
export const stopPod = ({ client }: SearchDependencies, pod: Pod, signal: AbortSignal): Promise<void> =>
  remove(client, pods, pod, { signal })

/** Removes a Search whose time is over; its pods go with it. */
export const removeSearch = ({ client }: SearchDependencies, search: Search, signal: AbortSignal): Promise<void> =>
  remove(client, searches, search, { signal })

/** Makes the pod of an attempt at a run, or gives the one that was made already and is not seen yet. */
export const makePod = (
  { client, template, instance }: SearchDependencies,
  search: Search,
  { runId, attempt }: { runId: string; attempt: number },
  signal: AbortSignal,
): Promise<Pod> =>
  createOwned(client, pods, searchPod(search, { runId, attempt, template, instance }), search, { signal })

/** The pod of a name, as the server has it, where it is still of the Search. */
export const findPod = (
  { client }: SearchDependencies,
  search: Search,
  name: string,
  signal: AbortSignal,
): Promise<Pod | undefined> =>
  findOwned(client, pods, { name, namespace: search.metadata.namespace ?? 'default' }, search, { signal })
