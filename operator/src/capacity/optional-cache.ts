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

/** A cache that may be refused to us. Nothing waits for it, and nothing fails with it. */
export type OptionalCache<T extends KubeObject> = {
  store: Store<T>
  /** Whether the cache has synced; false until the first list, and while the server refuses the watch. */
  isFilled: () => boolean
  /** The server's words, where it refuses us. */
  refusal: () => string | undefined
  /** Calls back with the server's words, once for each time that it begins to refuse us. */
  run: (signal: AbortSignal, onRefusal?: (words: string) => void) => Promise<void>
}

/** From 1 s to 5 minutes: where a role lacks a rule, it is not given one from one minute to the next. */
const backoff = { initial: 1_000, limit: 300_000, factor: 4, jitter: 0.2 }

const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403

/** Declares a cache of a kind that the operator's role may leave out. */
export const createOptionalCache = <T extends KubeObject>(
  { client, ...parts }: ReflectorParts,
  options: { name: string; resource: Resource<T>; transform: (object: T) => T; selection?: Selection },
): OptionalCache<T> => {
  const store = createStore<T>()
  let words: string | undefined
  let received: (words: string) => void = () => undefined

  /** Notes whether the server refuses us, and lets what it said pass. */
  const noting = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await ask()
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
  // Whoever runs the cache says it in words of their own.
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
