import type { ModelTask } from './network.ts'

export type ModelOptions = {
  /** The folder that the user configured. */
  directory: string
  task: ModelTask
  /** As onnxruntime names it: cpu, cuda, ... */
  device: string
  /** Threads for one inference. */
  threads: number
}

/** Properties of a loaded model. */
export type LoadedModel = { fingerprint: string; labels: string[]; width: number }

/** The calls of a model's thread. An unusable model is reported by its reason: errors lose their class between threads. */
export type ModelCalls = {
  load: () => Promise<LoadedModel | { unusable: string }>
  run: (texts: string[]) => Promise<Float32Array>
  rest: (processContinues: boolean) => Promise<void>
}
