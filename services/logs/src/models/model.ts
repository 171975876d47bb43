import { availableParallelism } from 'node:os'
import { collectGarbage } from '../threads/collect-garbage.ts'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LoadedModel, ModelCalls, ModelOptions } from './model-calls.ts'
import { ModelUnusable } from './model-files.ts'
import { offlineVariables } from './offline.ts'

/** A model in a folder, in a thread that starts when it is used and ends when it is not. */
export type Model = AsyncDisposable & {
  /** Loads it where it is not loaded. Throws ModelUnusable. */
  load: () => Promise<LoadedModel>
  /** One vector a text: of length 1 for an embedding, the probabilities of `labels` for a classification. Throws ModelUnusable. */
  run: (texts: readonly string[]) => Promise<Float32Array[]>
  readonly isLoaded: boolean
  /** Why it could not be used when that was last tried. */
  readonly problem: string | undefined
}

export type OpenModelOptions = Pick<ModelOptions, 'directory' | 'task'> &
  Partial<Pick<ModelOptions, 'device' | 'threads'>> & {
    /** Tells libraries for models to stay off the network, before they are loaded. */
    isOffline?: boolean
    /** The thread ends after so long without work. */
    idleMilliseconds?: number
    /** What could not be used is tried again after so long. */
    retryMilliseconds?: number
    onProblem: (problem: string) => void
  }

/** So many texts are handed to the thread at once; between them it answers others. */
const textsPerCall = 256

/** Half of the processors are left to searching and indexing. */
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
    // Nothing of this process's own, which has secrets: libraries of others run there.
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
  const loadNow = async (): Promise<LoadedModel> => {
    const loaded = await thread.call('load', [])
    if ('unusable' in loaded) throw fail(loaded.unusable)
    failed = undefined
    isLoaded = true
    return loaded
  }
  const load = (): Promise<LoadedModel> => {
    if (failed && performance.now() - failed.at < retryMilliseconds)
      return Promise.reject(new ModelUnusable(failed.reason))
    loading ??= loadNow().catch((error: unknown) => {
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
