import { type Branch, branches } from '../crds/mod.ts'
import { keyOf, type Manager, type Mapper, type Store, toSelf } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import {
  type CacheScope,
  type Claim,
  childCache,
  claims,
  type Service,
  type StatefulSet,
  services,
  statefulSets,
} from './child-kinds.ts'
import { type BranchDependencies, type BranchStores, branchCache, slugIndex, toBranch } from './dependencies.ts'
import { volumeName } from './names.ts'
import { reconcileBranch } from './reconcile.ts'
import { slugOf } from './slug.ts'

/** Declares the caches for branches; the pods are shared with the other controllers. */
export const cacheBranches = (manager: Manager, scope: CacheScope, pods: Store<Pod>): BranchStores => ({
  branches: manager.cache(branches, {
    ...branchCache,
    ...(scope.namespace === undefined ? {} : { selection: { namespace: scope.namespace } }),
  }),
  statefulSets: manager.cache(statefulSets, childCache<StatefulSet>(scope)),
  services: manager.cache(services, childCache<Service>(scope)),
  claims: manager.cache(claims, childCache<Claim>(scope)),
  pods,
})

/** Maps a Branch that is deleted or releases its port to the Branches that may wait for it. */
const toRivals =
  (store: Store<Branch>): Mapper<Branch> =>
  (change) => {
    const isGone = change.type === 'deleted'
    const gaveUpPort = change.type === 'changed' && change.previous.status.port !== change.object.status.port
    const waiting = isGone || gaveUpPort ? store.list().filter(({ status }) => status.phase === 'Failed') : []
    const sameSlug = store.by(slugIndex, slugOf(change.object))
    return [...waiting, ...sameSlug].map(({ metadata }) => keyOf(metadata))
  }

/**
 * Adds the controller of branches to an operator. It has one worker, since a port is assigned in view of all other
 * branches.
 */
export const addBranchController = (
  manager: Manager,
  dependencies: BranchStores & Pick<BranchDependencies, 'clock' | 'log' | 'settings' | 'edgeUrl' | 'checkEvery'>,
) => {
  const { client, recorder } = manager
  const controller = manager.controller({
    name: 'branch',
    reconcile: reconcileBranch({ ...dependencies, client, recorder }),
  })
  controller.watch(dependencies.branches, toSelf)
  controller.watch(dependencies.branches, toRivals(dependencies.branches))
  controller.watch(dependencies.statefulSets, toBranch(dependencies.branches))
  controller.watch(dependencies.services, toBranch(dependencies.branches))
  /** The StatefulSet has one pod, whose name, and its volume's, ends with its ordinal. */
  const withoutOrdinal = (name: string) => name.replace(/-0$/, '')
  controller.watch(dependencies.pods, toBranch(dependencies.branches, withoutOrdinal))
  const ofClaim = (name: string) => withoutOrdinal(name).slice(volumeName.length + 1)
  controller.watch(dependencies.claims, toBranch(dependencies.branches, ofClaim))
  return controller
}
