import { messageOf } from '@trellis/kit/errors'
import type { InferenceSession } from 'onnxruntime-node'
import type { Device } from './devices.ts'
import { ModelUnusable } from './model-unusable.ts'

export type { InferenceSession, Tensor } from 'onnxruntime-node'

export type Runtime = typeof import('onnxruntime-node')

/** As many as the target of the benchmarks has. */
const threads = 2

/** Loads the runtime, with the first model: it is large, and most installations have none. `setting` names the model. */
export const loadRuntime = async (setting: string): Promise<Runtime> => {
  try {
    const loaded = await import('onnxruntime-node')
    return loaded.default ?? loaded
  } catch (cause) {
    throw new ModelUnusable(
      `The package onnxruntime-node, which runs models, is not installed or cannot run here (${messageOf(cause)}). "npm start" installs it when ${setting} is set in its environment.`,
      { cause },
    )
  }
}

/** Loads a network. Throws ModelUnusable. */
export const openSession = async (
  runtime: Runtime,
  network: string,
  device: Device = 'cpu',
): Promise<InferenceSession> => {
  try {
    return await runtime.InferenceSession.create(network, {
      // What the GPU lacks runs on the CPU.
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    })
  } catch (cause) {
    throw new ModelUnusable(`${network} cannot be loaded: ${messageOf(cause)}`, { cause })
  }
}
