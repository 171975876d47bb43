import type { Log } from '@trellis/kit/telemetry'
import {
  ApiError,
  type Client,
  type Clock,
  createReflector,
  createStore,
  type KubeObject,
  type Random,
  type Resource,
  type RuntimeMetrics,
  type Selection,
  type Store,
} from '../runtime/mod.ts'

export type ReflectorParts = { client: Client; clock: Clock; random: Random; log: Log; metrics: RuntimeMetrics }

/** A cache that RBAC may deny. Nothing waits for it, and nothing fails with it. */
export type OptionalCache<T extends KubeObject> = {
  store: Store<T>
  /** Whether the cache has synced; false until the first list, and while the server denies access. */
  isFilled: () => boolean
  /** The server's message while it denies access. */
  refusal: () => string | undefined
  /** Runs the cache; calls back with the server's message each time access becomes denied. */
  run: (signal: AbortSignal, onRefusal?: (words: string) => void) => Promise<void>
}

/** From 1 s to 5 minutes: a missing RBAC rule is rarely added within minutes. */
const backoff = { initial: 1_000, max: 300_000 }

const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403

/** Creates a cache of a kind that the operator's role may omit. */
export const createOptionalCache = <T extends KubeObject>(
  { client, ...parts }: ReflectorParts,
  options: { name: string; resource: Resource<T>; transform: (object: T) => T; selection?: Selection },
): OptionalCache<T> => {
  const store = createStore<T>()
  let words: string | undefined
  let received: (words: string) => void = () => undefined

  /** Runs a request, records whether the server denies access, and passes the outcome on. */
  const noting = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await request()
      words = undefined
      return answer
    } catch (error) {
      if (isRefusal(error)) {
        const isNew = words === undefined
        words = error.message
        if (isNew) received(words)
      }
      throw error
    }
  }
  const noted: Client = {
    ...client,
    list: (resource, listOptions) => noting(() => client.list(resource, listOptions)),
    watch: (resource, watchOptions) => noting(() => client.watch(resource, watchOptions)),
  }
  // The caller logs the denial itself.
  const quiet = { backoff, isExpectedFailure: isRefusal }
  const reflector = createReflector<T>({ ...parts, ...options, ...quiet, client: noted, store })

  return {
    store,
    isFilled: () => reflector.hasSynced() && words === undefined,
    refusal: () => words,
    run: async (signal, onRefusal) => {
      received = onRefusal ?? received
      await reflector.run(signal)
    },
  }
}
