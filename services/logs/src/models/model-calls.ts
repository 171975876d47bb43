import type { ModelTask } from './network.ts'

export type ModelOptions = {
  /** The folder that the user has named. */
  directory: string
  task: ModelTask
  /** As onnxruntime names it: cpu, cuda, ... */
  device: string
  /** Processors that one text may keep busy. */
  threads: number
}

/** What is known of a model once it is loaded. */
export type LoadedModel = { fingerprint: string; labels: string[]; width: number }

/** What the thread of a model can be asked. A model that cannot be used is told by its reason: errors lose their kind between threads. */
export type ModelCalls = {
  load: () => Promise<LoadedModel | { unusable: string }>
  run: (texts: string[]) => Promise<Float32Array>
  rest: (processGoesOn: boolean) => Promise<void>
}
