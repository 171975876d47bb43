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

/** The caches for branches. */
export type BranchStores = {
  branches: Store<Branch>
  statefulSets: Store<StatefulSet>
  services: Store<Service>
  claims: Store<Claim>
  pods: Store<Pod>
}

/** Dependencies of a reconcile. */
export type BranchDependencies = BranchStores & {
  client: Client
  recorder: Recorder
  clock: Clock
  log: Log
  settings: BranchSettings
  /** The URL at which senders reach the installation, without a trailing slash. */
  edgeUrl: string
  /** Milliseconds between checks of what no watch shows: a Branch's Secret, and whether its pod is rejected; 30 s by default. */
  checkEvery?: number
}

/** Index of branches by their slug. */
export const slugIndex = 'slug'
/** Index of branches by the key of their StatefulSet. */
const statefulSetIndex = 'statefulSet'

/** The key of an object by its name, in the namespace of another, such as a child of a Branch. */
export const childKey = ({ metadata }: KubeObject, name: string): string =>
  keyOf({ name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) })

/** Cache options of branches: `manager.cache(branches, branchCache)`. */
export const branchCache: CacheOptions<Branch> = {
  indexes: {
    [slugIndex]: (branch) => [slugOf(branch)],
    [statefulSetIndex]: (branch) => [childKey(branch, namesOf(branch).statefulSet)],
  },
}

/** Maps the objects that a Branch owns to it, and to another Branch that waits for the name. */
export const toBranch = (store: Store<Branch>, toStatefulSet: (name: string) => string = (name) => name) => {
  const byOwner = toController(branches)
  const mapper: Mapper<KubeObject> = (change) => {
    const key = childKey(change.object, toStatefulSet(change.object.metadata.name))
    const named = store.by(statefulSetIndex, key).map(({ metadata }) => keyOf(metadata))
    return [...new Set([...byOwner(change), ...named])]
  }
  return mapper
}

/** The pod of a StatefulSet, if it exists; ignores an unrelated pod of the same name. */
export const podOf = (
  { pods }: Pick<BranchStores, 'pods'>,
  branch: Branch,
  set: StatefulSet | undefined,
): Pod | undefined => {
  const pod = pods.get(childKey(branch, namesOf(branch).pod))
  return pod && set && controllerOf(pod)?.uid === set.metadata.uid ? pod : undefined
}
