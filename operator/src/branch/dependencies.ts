import type { Log } from '@trellis/kit/telemetry'
import { type Branch, branches } from '../crds/mod.ts'
import {
  type CacheOptions,
  type Client,
  type Clock,
  controllerOf,
  type KubeObject,
  keyOf,
  type Mapper,
  type Recorder,
  type Store,
  toController,
} from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import type { Claim, Service, StatefulSet } from './child-kinds.ts'
import type { BranchSettings } from './children.ts'
import { namesOf } from './names.ts'
import { slugOf } from './slug.ts'

/** What branches are seen through. */
export type BranchStores = {
  branches: Store<Branch>
  statefulSets: Store<StatefulSet>
  services: Store<Service>
  claims: Store<Claim>
  pods: Store<Pod>
}

/** All that a reconcile needs. */
export type BranchDependencies = BranchStores & {
  client: Client
  recorder: Recorder
  clock: Clock
  log: Log
  settings: BranchSettings
  /** The address that senders reach the installation by, without a slash at its end. */
  edgeUrl: string
  /** Milliseconds between two looks at the Secret of a Branch; 30 s unless told. */
  secretsEvery?: number
}

/** Index of branches by their slug. */
export const slugIndex = 'slug'
/** Index of branches by the key of their StatefulSet. */
const statefulSetIndex = 'statefulSet'

/** The key of what goes by a name in the namespace of an object, such as what belongs to a Branch. */
export const childKey = ({ metadata }: KubeObject, name: string): string =>
  keyOf({ name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) })

/** How the cache of branches is declared: `manager.cache(branches, branchCache)`. */
export const branchCache: CacheOptions<Branch> = {
  indexes: {
    [slugIndex]: (branch) => [slugOf(branch)],
    [statefulSetIndex]: (branch) => [childKey(branch, namesOf(branch).statefulSet)],
  },
}

/** Maps what a Branch owns to it, and to another that has waited for the name. */
export const toBranch = (store: Store<Branch>, toStatefulSet: (name: string) => string = (name) => name) => {
  const byOwner = toController(branches)
  const mapper: Mapper<KubeObject> = (change) => {
    const key = childKey(change.object, toStatefulSet(change.object.metadata.name))
    const named = store.by(statefulSetIndex, key).map(({ metadata }) => keyOf(metadata))
    return [...new Set([...byOwner(change), ...named])]
  }
  return mapper
}

/** The pod of a StatefulSet, where it is there: another that happens to have its name is not. */
export const podOf = (
  { pods }: Pick<BranchStores, 'pods'>,
  branch: Branch,
  set: StatefulSet | undefined,
): Pod | undefined => {
  const pod = pods.get(childKey(branch, namesOf(branch).pod))
  return pod && set && controllerOf(pod)?.uid === set.metadata.uid ? pod : undefined
}
