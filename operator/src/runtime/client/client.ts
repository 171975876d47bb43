import type { Draft, KubeObject, ObjectRef } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'

/** Which objects of a kind. */
export type Selection = {
  /** One namespace; all of them unless told. */
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
 * Asked before each attempt of a write, and again when it is written to its connection: gives the milliseconds that the
 * write may take, or throws NotLeader because it must not be made.
 */
export type WriteGuard = () => number

export type WriteOptions = RequestOptions & {
  guard?: WriteGuard
  fieldManager?: string
  /** `status` or `scale`; the object itself unless told. */
  subresource?: 'status' | 'scale'
  dryRun?: boolean
}

export type Patch =
  /** JSON merge patch, RFC 7396: null removes. */
  | { type: 'merge'; body: object }
  /** JSON patch, RFC 6902. It is not repeated where it may have been applied. */
  | { type: 'json'; body: readonly { op: 'add' | 'remove' | 'replace' | 'test'; path: string; value?: unknown }[] }
  /** Server-side apply: what the field manager wants; `force` takes fields from other managers. */
  | { type: 'apply'; body: object; fieldManager: string; force?: boolean }

export type DeleteOptions = Omit<WriteOptions, 'fieldManager' | 'subresource'> & {
  /** The deletion fails with a conflict unless the object is this one. */
  preconditions?: { uid?: string; resourceVersion?: string }
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  gracePeriodSeconds?: number
}

export type ListOptions = Selection & RequestOptions & { limit?: number; continue?: string; resourceVersion?: string }

export type ListPage<T> = {
  items: readonly T[]
  /** The version of the collection: a watch from here misses nothing. */
  resourceVersion: string
  /** Names the next page, where there is one. */
  continue?: string
}

export type WatchOptions = Selection & {
  signal: AbortSignal
  /** Where to go on: the version of a list, an event or a bookmark. */
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
 * The verbs of the API. Objects are raw JSON, times are text. Failures are ApiError (the server refused), ConnectionError
 * (no answer) or the reason of the signal. What is safe to repeat was repeated before it fails.
 */
export type Client = {
  get: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: RequestOptions) => Promise<T>
  list: <T extends KubeObject>(resource: Resource<T>, options?: ListOptions) => Promise<ListPage<T>>
  /** Resolves once the server has taken the watch on; the events end with the watch and throw where it breaks. */
  watch: <T extends KubeObject>(resource: Resource<T>, options: WatchOptions) => Promise<AsyncIterable<WatchEvent<T>>>
  create: <T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: WriteOptions) => Promise<T>
  /** Replaces an object; with a resourceVersion in its metadata only if that is the latest. */
  update: <T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions) => Promise<T>
  patch: <T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ) => Promise<T>
  /** Resolves once the server has taken the deletion on; the object may stay a while. */
  delete: (resource: Resource, ref: ObjectRef, options?: DeleteOptions) => Promise<void>
  /** The scale of an object whose kind has that subresource. */
  getScale: (resource: Resource, ref: ObjectRef, options?: RequestOptions) => Promise<Scale>
  /** Sets how many replicas are wished for. */
  setScale: (resource: Resource, ref: ObjectRef, replicas: number, options?: WriteOptions) => Promise<Scale>
}

export type Scale = KubeObject & {
  spec?: { replicas?: number }
  status?: { replicas: number; selector?: string }
}

/** The same client, whose writes are each asked for first. */
export const guardWrites = (client: Client, guard: WriteGuard): Client => ({
  ...client,
  create: (resource, object, options) => client.create(resource, object, { ...options, guard }),
  update: (resource, object, options) => client.update(resource, object, { ...options, guard }),
  patch: (resource, ref, patch, options) => client.patch(resource, ref, patch, { ...options, guard }),
  delete: (resource, ref, options) => client.delete(resource, ref, { ...options, guard }),
  setScale: (resource, ref, replicas, options) => client.setScale(resource, ref, replicas, { ...options, guard }),
})
