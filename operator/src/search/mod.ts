import { type Search, searches } from '../crds/mod.ts'
import type { WorkloadRuns } from '../rpc/workload-runs.ts'
import { attendRuns, createRunMemories, runIndexes } from '../runs/mod.ts'
import { type Controller, type Manager, type Store, toController, toSelf } from '../runtime/mod.ts'
import { componentOf, label, type Pod } from '../workers/mod.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import type { SearchParts } from './dependencies.ts'
import { createOwnPods } from './own-pods.ts'
import { reconcileSearch } from './reconcile.ts'
import { searchFor, searchNameOf } from './search-object.ts'

/** Searches reconciled concurrently: reconciles mostly wait for the API server and the bus. */
const workers = 16

/** Declares the cache of Searches, indexed by run id. */
export const cacheSearches = (manager: Pick<Manager, 'cache'>): Store<Search> =>
  manager.cache(searches, { indexes: runIndexes })

/** What the RPC server needs to know about Searches. */
export const searchRuns = ({
  searches: store,
  pods,
  total,
  ...draftOptions
}: {
  searches: Store<Search>
  pods: Store<Pod>
  total: number
  /** Namespace of new Searches; `ttlSeconds` is how long they stay after they end. */
  namespace: string
  ttlSeconds: number
}): WorkloadRuns<Search> => ({
  workload: 'WORKLOAD_SEARCH',
  resource: searches,
  store,
  nameOf: searchNameOf,
  draftOf: (request) => (request.search ? searchFor(request, request.search, draftOptions) : undefined),
  podsOf: ({ metadata }) => pods.by('owner', metadata.uid),
  total,
})

const isSearchPod = ({ metadata }: Pod): boolean =>
  metadata.labels?.[label.component] === componentOf('search') && metadata.labels?.[label.runId] !== undefined

/** Adds the controller of Searches to a manager. */
export const addSearchController = (
  manager: Pick<Manager, 'controller' | 'whileLeading'>,
  parts: SearchParts,
): Controller => {
  const { searches: store, pods, clock } = parts
  const memories = createRunMemories(clock)
  const ownPods = createOwnPods({ pods, clock })
  const limiter = createConcurrencyLimiter({
    pods,
    total: parts.maxRuns,
    clock,
    isCounted: isSearchPod,
    wake: (key) => controller.queue.add(key),
  })
  const controller: Controller = manager.controller({
    name: 'search',
    workers,
    reconcile: reconcileSearch({ ...parts, memories, ownPods, limiter }),
  })
  controller.watch(store, toSelf)
  controller.watch(pods, toController(searches))
  const onDeleted = ({ metadata: { uid } }: Search) => {
    memories.drop(uid)
    limiter.leave(uid, ownPods.hasLive(uid))
    ownPods.drop(uid)
  }
  attendRuns(manager, controller, { ...parts, kind: 'search', resource: searches, store, onDeleted })
  return controller
}

export type { AllowedUsers } from './decide.ts'
export type { SearchParts } from './dependencies.ts'
