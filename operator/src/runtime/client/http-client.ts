import { type Clock, type Random, systemClock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import type { Draft, KubeObject, ObjectRef } from '../objects/object.ts'
import { apiVersionOf, pathOf, type Resource } from '../objects/resource.ts'
import type {
  Client,
  DeleteOptions,
  ListOptions,
  Patch,
  RequestOptions,
  Scale,
  WatchOptions,
  WriteOptions,
} from './client.ts'
import { type Credentials, createCredentials, loadConfig } from './credentials.ts'
import { createRequester } from './requester.ts'
import { defaultRetry, type RetryOptions } from './retry.ts'
import { createTransport, type Lane, type Transport } from './transport.ts'
import { readWatchEvents } from './watch-stream.ts'

export type HttpClientOptions = {
  /** Identity of the client; the process's default configuration unless set. */
  credentials?: Credentials
  /** Connections shared with other clients; the caller disposes of it. */
  transport?: Transport
  /** Connection pool for the requests; `leases` is for leader election, which must not wait for other requests. */
  lane?: Exclude<Lane, 'watches'>
  clock?: Clock
  random?: Random
  metrics?: RuntimeMetrics
  /** Timeout of one attempt in milliseconds; 30 s by default. */
  timeout?: number
  retry?: RetryOptions
  /** The User-Agent header. */
  userAgent?: string
}

const patchTypes: Record<Patch['type'], string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

const within = ({ namespace }: { namespace?: string | undefined }) => (namespace === undefined ? {} : { namespace })

const targetOf = ({ name, namespace }: ObjectRef, { subresource }: WriteOptions) => ({
  name,
  ...within({ namespace }),
  ...(subresource ? { subresource } : {}),
})

const writeQuery = ({ fieldManager, dryRun }: WriteOptions) => ({ fieldManager, dryRun: dryRun ? 'All' : undefined })

/** Serializes an object with its apiVersion and kind, which items of lists lack. */
const named = (resource: Resource, object: object): string =>
  JSON.stringify({ ...object, apiVersion: apiVersionOf(resource), kind: resource.kind })

/**
 * A client of the API server over HTTP, with JSON in and out. It reuses connections; disposing it closes those it
 * opened itself.
 */
export const createHttpClient = ({
  clock = systemClock,
  credentials = createCredentials(() => loadConfig(), clock),
  transport,
  lane = 'requests',
  random = Math.random,
  metrics,
  timeout = 30_000,
  retry = defaultRetry,
  userAgent = 'trellis-operator',
}: HttpClientOptions = {}): Client & AsyncDisposable => {
  const connections = transport ?? createTransport()
  const requester = createRequester({
    credentials,
    transport: connections,
    clock,
    random,
    metrics,
    timeout,
    retry,
    userAgent,
  })

  const get = async (resource: Resource, target: ObjectRef & { subresource?: string }, options: RequestOptions = {}) =>
    requester.request({ lane, method: 'GET', verb: 'GET', path: pathOf(resource, target), options })

  const sendPatch = async (resource: Resource, ref: ObjectRef, patch: Patch, options: WriteOptions = {}) => {
    const applied = patch.type === 'apply' ? patch : undefined
    return requester.request({
      lane,
      method: 'PATCH',
      verb: applied ? 'APPLY' : 'PATCH',
      path: pathOf(resource, targetOf(ref, options)),
      query: { ...writeQuery(options), ...(applied && { fieldManager: applied.fieldManager, force: applied.force }) },
      body: applied ? named(resource, applied.body) : JSON.stringify(patch.body),
      contentType: patchTypes[patch.type],
      idempotent: patch.type !== 'json',
      options,
    })
  }

  return {
    get: async <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: RequestOptions) =>
      (await get(resource, targetOf(ref, {}), options)) as T,

    list: async <T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}) => {
      const { labelSelector, fieldSelector, limit, resourceVersion } = options
      const query = { labelSelector, fieldSelector, limit, resourceVersion, continue: options.continue }
      const path = pathOf(resource, within(options))
      const answer = (await requester.request({ lane, method: 'GET', verb: 'LIST', path, query, options })) as {
        metadata: { resourceVersion: string; continue?: string }
        items: readonly T[] | null
      }
      return {
        items: answer.items ?? [],
        resourceVersion: answer.metadata.resourceVersion,
        ...(answer.metadata.continue ? { continue: answer.metadata.continue } : {}),
      }
    },

    watch: async <T extends KubeObject>(resource: Resource<T>, options: WatchOptions) => {
      const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options
      const query = { labelSelector, fieldSelector, resourceVersion, timeoutSeconds }
      const bytes = await requester.open({
        lane: 'watches',
        method: 'GET',
        verb: 'WATCH',
        path: pathOf(resource, within(options)),
        query: { ...query, watch: true, allowWatchBookmarks: true },
        options: { signal },
      })
      return readWatchEvents<T>(bytes, signal)
    },

    create: async <T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options: WriteOptions = {}) =>
      (await requester.request({
        lane,
        method: 'POST',
        verb: 'CREATE',
        path: pathOf(resource, within(object.metadata)),
        query: writeQuery(options),
        body: named(resource, object),
        // Creating the same name again is rejected, but a generated name would create a second object.
        idempotent: 'name' in object.metadata,
        options,
      })) as T,

    update: async <T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}) =>
      (await requester.request({
        lane,
        method: 'PUT',
        verb: 'UPDATE',
        path: pathOf(resource, targetOf(object.metadata, options)),
        query: writeQuery(options),
        body: named(resource, object),
        options,
      })) as T,

    patch: async <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions) =>
      (await sendPatch(resource, ref, patch, options)) as T,

    delete: async (resource: Resource, ref: ObjectRef, options: DeleteOptions = {}) => {
      const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options
      const deletion = { preconditions, propagationPolicy, gracePeriodSeconds, ...(dryRun ? { dryRun: ['All'] } : {}) }
      await requester.request({
        lane,
        method: 'DELETE',
        verb: 'DELETE',
        path: pathOf(resource, targetOf(ref, {})),
        body: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...deletion }),
        // Without the uid, a retry could delete a newer object of the same name.
        idempotent: preconditions?.uid !== undefined,
        options,
      })
    },

    getScale: async (resource, ref, options) =>
      (await get(resource, { ...ref, subresource: 'scale' }, options)) as Scale,

    setScale: async (resource, ref, replicas, options) => {
      const patch: Patch = { type: 'merge', body: { spec: { replicas } } }
      return (await sendPatch(resource, ref, patch, { ...options, subresource: 'scale' })) as Scale
    },

    [Symbol.asyncDispose]: async () => {
      if (!transport) await connections[Symbol.asyncDispose]()
    },
  }
}
