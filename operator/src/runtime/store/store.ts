import { compareVersions, type KubeObject, keyOf, withoutManagedFields } from '../objects/object.ts'
import { deepFreeze } from './deep-freeze.ts'
import { createIndex, type Index, type IndexFunction } from './index-by.ts'

/**
 * A change to a cached object. `initial` marks objects that existed before the cache was filled, which are less urgent.
 */
export type Change<T extends KubeObject> =
  | { type: 'added'; object: T; initial: boolean }
  | { type: 'changed'; object: T; previous: T; initial: boolean }
  | { type: 'deleted'; object: T; initial: boolean }

/** Called synchronously with each change. It must be quick and not throw: enqueue, and work later. */
export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void

/** A read-only cache of the objects of a kind. It may lag behind the server, but versions are monotonic. */
export type Store<T extends KubeObject> = {
  get: (key: string) => T | undefined
  list: () => T[]
  keys: () => IterableIterator<string>
  readonly size: number
  /** The objects that an index holds under a value. `namespace` and `owner` (by uid) always exist. */
  by: (index: string, value: string) => T[]
  onChange: (handler: ChangeHandler<T>) => () => void
  /**
   * Stores the object that a write returned, so that the next decision sees it without waiting for the watch. It has no
   * effect if the object is not cached any more, or in a newer version.
   */
  wrote: (object: T) => void
}

/** The write side of a store, used by a reflector. */
export type StoreWriter<T extends KubeObject> = Store<T> & {
  /** Stores an object from a watch, unless a newer version is known. */
  put: (object: T, initial?: boolean) => void
  /** Applies a deletion from a watch, with the object's last version. */
  remove: (object: T) => void
  /**
   * Replaces all objects, or those of one namespace, with a list at a version. Returns the number of objects that
   * changed.
   */
  replace: (listed: { objects: readonly T[]; version: string; initial: boolean; namespace?: string }) => number
}

export type StoreOptions<T extends KubeObject> = {
  /** Index functions by index name. */
  indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** Reduces the objects that writes returned, as a reflector those of watches; drops `managedFields` by default. */
  transform?: (object: T) => T
  /** Makes mutating a cached object throw; for tests, as it costs time. */
  freeze?: boolean
  /** Called when a handler throws, which it must not. */
  onHandlerError?: (error: unknown) => void
}

/** Number of deletions remembered, so that late events do not resurrect deleted objects. */
const rememberedDeletions = 10_000

export const createStore = <T extends KubeObject>({
  indexes = {},
  transform = withoutManagedFields,
  freeze = false,
  onHandlerError = (error) => {
    throw error
  },
}: StoreOptions<T> = {}): StoreWriter<T> => {
  const objects = new Map<string, T>()
  /** Versions at which objects were deleted, by uid; the oldest entry is evicted first. */
  const deletions = new Map<string, string>()
  const handlers = new Set<ChangeHandler<T>>()
  const filed: Record<string, Index<T>> = {
    namespace: createIndex(({ metadata }) => [metadata.namespace ?? '']),
    owner: createIndex(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid)),
    ...Object.fromEntries(Object.entries(indexes).map(([name, values]) => [name, createIndex(values)])),
  }

  const notify = (change: Change<T>) => {
    for (const handler of handlers) {
      try {
        handler(change)
      } catch (error) {
        onHandlerError(error)
      }
    }
  }

  const set = (key: string, object: T, previous: T | undefined) => {
    if (freeze) deepFreeze(object)
    if (previous) for (const index of Object.values(filed)) index.remove(key, previous)
    objects.set(key, object)
    for (const index of Object.values(filed)) index.add(key, object)
  }

  const unset = (key: string, object: T) => {
    objects.delete(key)
    for (const index of Object.values(filed)) index.remove(key, object)
  }

  const isOld = (object: T, known: T | undefined): boolean => {
    const { uid, resourceVersion } = object.metadata
    const deletedAt = deletions.get(uid)
    // An object that stopped matching a selector can return under the same uid at a later version.
    if (deletedAt !== undefined && compareVersions(resourceVersion, deletedAt) <= 0) return true
    return known !== undefined && compareVersions(resourceVersion, known.metadata.resourceVersion) <= 0
  }

  const put = (object: T, initial = false) => {
    const key = keyOf(object.metadata)
    const previous = objects.get(key)
    if (isOld(object, previous)) return
    if (previous && previous.metadata.uid !== object.metadata.uid) {
      // The object was deleted and recreated between two events: handlers that count objects need both changes.
      remember(previous.metadata.uid, object.metadata.resourceVersion)
      unset(key, previous)
      notify({ type: 'deleted', object: previous, initial })
      set(key, object, undefined)
      notify({ type: 'added', object, initial })
      return
    }
    set(key, object, previous)
    notify(previous ? { type: 'changed', object, previous, initial } : { type: 'added', object, initial })
  }

  const remember = (uid: string, version: string) => {
    deletions.set(uid, version)
    if (deletions.size > rememberedDeletions) deletions.delete(deletions.keys().next().value ?? '')
  }

  const remove = (object: T) => {
    const { uid, resourceVersion } = object.metadata
    const key = keyOf(object.metadata)
    const known = objects.get(key)
    remember(uid, resourceVersion)
    // A newer object may have taken the name, and its event may have come first.
    if (!known || known.metadata.uid !== uid) return
    unset(key, known)
    notify({ type: 'deleted', object, initial: false })
  }

  const replace: StoreWriter<T>['replace'] = ({ objects: listed, version, initial, namespace }) => {
    const present = new Set(listed.map(({ metadata }) => metadata.uid))
    let differences = 0
    for (const [key, known] of [...objects]) {
      if (present.has(known.metadata.uid)) continue
      if (namespace !== undefined && known.metadata.namespace !== namespace) continue
      differences += 1
      remember(known.metadata.uid, version)
      unset(key, known)
      notify({ type: 'deleted', object: known, initial })
    }
    for (const object of listed) {
      const known = objects.get(keyOf(object.metadata))
      if (isOld(object, known)) continue
      differences += 1
      put(object, initial)
    }
    return differences
  }

  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    keys: () => objects.keys(),
    get size() {
      return objects.size
    },
    by: (name, value) => {
      const index = filed[name]
      if (!index) throw new Error(`The store has no index ${name}.`)
      return index.get(value).flatMap((key) => objects.get(key) ?? [])
    },
    onChange: (handler) => {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    wrote: (object) => {
      // An object that the cache has lost is gone: its deletion preceded this response.
      if (objects.get(keyOf(object.metadata))?.metadata.uid === object.metadata.uid) put(transform(object))
    },
    put,
    remove,
    replace,
  }
}
