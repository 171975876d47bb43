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
import { volumeName } from './names.ts'
import { reconcileBranch } from './reconcile.ts'
import { slugOf } from './slug.ts'
import { type BranchStores, type BranchWorld, branchCache, slugIndex, toBranch } from './world.ts'

/** Declares the caches that branches are seen through; the pods are those of all our controllers. */
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

/** A Branch that goes, or gives up its port, is waited for by others. */
const toRivals =
  (store: Store<Branch>): Mapper<Branch> =>
  (change) => {
    const isGone = change.type === 'deleted'
    const gaveUpPort = change.type === 'changed' && change.previous.status.port !== change.object.status.port
    const waiting = isGone || gaveUpPort ? store.list().filter(({ status }) => status.phase === 'Failed') : []
    const sameSlug = store.by(slugIndex, slugOf(change.object))
    return [...waiting, ...sameSlug].map(({ metadata }) => keyOf(metadata))
  }

/** Adds the controller of branches to an operator. One at a time: each is given its port in view of all the others. */
export const addBranchController = (
  manager: Manager,
  world: BranchStores & Pick<BranchWorld, 'clock' | 'log' | 'settings' | 'edgeUrl' | 'secretsEvery'>,
) => {
  const { client, recorder } = manager
  const controller = manager.controller({ name: 'branch', reconcile: reconcileBranch({ ...world, client, recorder }) })
  controller.watch(world.branches, toSelf)
  controller.watch(world.branches, toRivals(world.branches))
  controller.watch(world.statefulSets, toBranch(world.branches))
  controller.watch(world.services, toBranch(world.branches))
  /** The set is of one pod, whose name, and its volume's, ends with its ordinal. */
  const withoutOrdinal = (name: string) => name.replace(/-0$/, '')
  controller.watch(world.pods, toBranch(world.branches, withoutOrdinal))
  const ofClaim = (name: string) => withoutOrdinal(name).slice(volumeName.length + 1)
  controller.watch(world.claims, toBranch(world.branches, ofClaim))
  return controller
}
