import { availableParallelism } from 'node:os'
import { collectGarbage } from '@trellis/kit/memory'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LoadedModel, ModelCalls, ModelOptions } from './model-calls.ts'
import { ModelUnusable } from './model-files.ts'
import { offlineVariables } from './offline.ts'

/** A model in a folder. Its thread starts on first use and ends when idle. */
export type Model = AsyncDisposable & {
  /** Loads the model if necessary. Throws ModelUnusable. */
  load: () => Promise<LoadedModel>
  /** One vector per text: normalized for an embedding, the probabilities of `labels` for a classification. Throws ModelUnusable. */
  run: (texts: readonly string[]) => Promise<Float32Array[]>
  readonly isLoaded: boolean
  /** Why the last attempt to use the model failed. */
  readonly problem: string | undefined
}

export type OpenModelOptions = Pick<ModelOptions, 'directory' | 'task'> &
  Partial<Pick<ModelOptions, 'device' | 'threads'>> & {
    /** Sets the offline variables of model libraries before they load. */
    isOffline?: boolean
    /** The thread ends after this time without work. */
    idleMilliseconds?: number
    /** Loading is retried this long after a failure. */
    retryMilliseconds?: number
    onProblem: (problem: string) => void
  }

/** Texts per call; the thread serves other calls in between. */
const textsPerCall = 256

/** Leaves half of the processors to searching and indexing. */
const defaultThreads = () => Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

export const createModel = (options: OpenModelOptions): Model => {
  const { directory, task, device = 'cpu', threads = defaultThreads(), isOffline = false } = options
  const { retryMilliseconds = 60_000, onProblem } = options
  let failed: { reason: string; at: number } | undefined
  let loading: Promise<LoadedModel> | undefined
  let isLoaded = false

  const fail = (reason: string): ModelUnusable => {
    failed = { reason, at: performance.now() }
    onProblem(reason)
    return new ModelUnusable(reason)
  }
  const thread = createLazyThread<ModelCalls>({
    module: new URL('./model-worker.ts', import.meta.url),
    data: { directory, task, device, threads } satisfies ModelOptions,
    // Nothing of this process's environment, which has secrets: the thread runs third-party libraries.
    environment: isOffline ? offlineVariables : {},
    own: {},
    idleMilliseconds: options.idleMilliseconds ?? 120_000,
    mayRest: () => true,
    lastCall: 'rest',
    onRest: () => {
      isLoaded = false
      loading = undefined
      collectGarbage()
    },
    onFailure: (error) => {
      isLoaded = false
      loading = undefined
      fail(`The thread of the model in ${directory} failed: ${error.message}`)
    },
  })
  const startLoading = async (): Promise<LoadedModel> => {
    const loaded = await thread.call('load', [])
    if ('unusable' in loaded) throw fail(loaded.unusable)
    failed = undefined
    isLoaded = true
    return loaded
  }
  const load = (): Promise<LoadedModel> => {
    if (failed && performance.now() - failed.at < retryMilliseconds)
      return Promise.reject(new ModelUnusable(failed.reason))
    loading ??= startLoading().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    load,
    run: async (texts) => {
      const { width } = await load()
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += textsPerCall) {
        const values = await thread.call('run', [texts.slice(start, start + textsPerCall)])
        for (let offset = 0; offset < values.length; offset += width)
          vectors.push(values.subarray(offset, offset + width))
      }
      return vectors
    },
    get isLoaded() {
      return isLoaded
    },
    get problem() {
      return failed?.reason
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
