import type { Draft, KubeObject, ObjectRef } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'

/** Which objects of a kind to list or watch. */
export type Selection = {
  /** One namespace; all of them by default. */
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
}

export type RequestOptions = {
  signal?: AbortSignal
  /** Milliseconds for each attempt. */
  timeout?: number
}

/**
 * Called before each attempt of a write, and again when the request is written to its connection. Returns the
 * milliseconds that the write may take, or throws NotLeader if it must not be sent.
 */
export type WriteGuard = () => number

export type WriteOptions = RequestOptions & {
  guard?: WriteGuard
  fieldManager?: string
  /** `status` or `scale`; the object itself by default. */
  subresource?: 'status' | 'scale'
  dryRun?: boolean
}

export type Patch =
  /** JSON merge patch, RFC 7396: null removes. */
  | { type: 'merge'; body: object }
  /** JSON patch, RFC 6902. It is not retried if it may have been applied. */
  | { type: 'json'; body: readonly { op: 'add' | 'remove' | 'replace' | 'test'; path: string; value?: unknown }[] }
  /** Server-side apply: the fields that the field manager owns; `force` takes ownership from other managers. */
  | { type: 'apply'; body: object; fieldManager: string; force?: boolean }

export type DeleteOptions = Omit<WriteOptions, 'fieldManager' | 'subresource'> & {
  /** The deletion fails with a conflict unless the object matches. */
  preconditions?: { uid?: string; resourceVersion?: string }
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  gracePeriodSeconds?: number
}

export type ListOptions = Selection & RequestOptions & { limit?: number; continue?: string; resourceVersion?: string }

export type ListPage<T> = {
  items: readonly T[]
  /** Version of the collection; a watch from here misses no event. */
  resourceVersion: string
  /** Token for the next page, if there is one. */
  continue?: string
}

export type WatchOptions = Selection & {
  signal: AbortSignal
  /** Where to start: the version of a list, an event or a bookmark. */
  resourceVersion: string
  /** Seconds after which the server ends the watch. */
  timeoutSeconds: number
}

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** Nothing changed up to this version. */
  | { type: 'BOOKMARK'; object: { metadata: { resourceVersion: string } } }
  | { type: 'ERROR'; object: unknown }

/**
 * The verbs of the API. Objects are raw JSON, times are text. Failures are ApiError (the server responded with an
 * error), ConnectionError (no response) or the signal's reason. Requests that are safe to retry have been retried
 * before the call fails.
 */
export type Client = {
  get: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: RequestOptions) => Promise<T>
  list: <T extends KubeObject>(resource: Resource<T>, options?: ListOptions) => Promise<ListPage<T>>
  /**
   * Resolves once the server has accepted the watch; the iterable ends when the watch does and throws if it breaks.
   */
  watch: <T extends KubeObject>(resource: Resource<T>, options: WatchOptions) => Promise<AsyncIterable<WatchEvent<T>>>
  create: <T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: WriteOptions) => Promise<T>
  /** Replaces an object; with a resourceVersion in its metadata, only if that is the latest version. */
  update: <T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions) => Promise<T>
  patch: <T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ) => Promise<T>
  /** Resolves once the server has accepted the deletion; the object may remain for a while. */
  delete: (resource: Resource, ref: ObjectRef, options?: DeleteOptions) => Promise<void>
  /** The scale of an object whose kind has that subresource. */
  getScale: (resource: Resource, ref: ObjectRef, options?: RequestOptions) => Promise<Scale>
  /** Sets the desired number of replicas. */
  setScale: (resource: Resource, ref: ObjectRef, replicas: number, options?: WriteOptions) => Promise<Scale>
}

export type Scale = KubeObject & {
  spec?: { replicas?: number }
  status?: { replicas: number; selector?: string }
}

/** The same client, with every write checked by the guard first. */
export const guardWrites = (client: Client, guard: WriteGuard): Client => ({
  ...client,
  create: (resource, object, options) => client.create(resource, object, { ...options, guard }),
  update: (resource, object, options) => client.update(resource, object, { ...options, guard }),
  patch: (resource, ref, patch, options) => client.patch(resource, ref, patch, { ...options, guard }),
  delete: (resource, ref, options) => client.delete(resource, ref, { ...options, guard }),
  setScale: (resource, ref, replicas, options) => client.setScale(resource, ref, replicas, { ...options, guard }),
})
