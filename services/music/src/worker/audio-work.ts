import { serviceError } from '@trellis/kit/errors'
import { type Files, type FilesLocation, openFiles } from '@trellis/kit/files'
import type { Work } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioRefused, refusalStatus } from '../audio/refusal.ts'
import type { ModelCache } from '../generate/model/model-cache.ts'
import type { DeviceChoice } from '../onnx/devices.ts'
import type { TaskDependencies } from './pieces.ts'

/** Runs a task. Its code is loaded with the first one, since many idle workers wait for theirs. */
const perform = async ({ task }: AudioTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  switch (task?.$case) {
    case 'ingest':
      return (await import('./tasks.ts')).ingest(task.value, dependencies)
    case 'continue':
      return (await import('./tasks.ts')).continueAudio(task.value, dependencies)
    case 'export':
      return (await import('./tasks.ts')).exportAudio(task.value, dependencies)
    case 'spectrogram':
      return (await import('./tasks.ts')).drawSpectrogram(task.value, dependencies)
    case 'separate':
      return (await import('./separate.ts')).separateAudio(task.value, dependencies)
    case 'checkModel':
      return (await import('./check-model.ts')).checkModel(task.value, dependencies)
    case 'analyse':
      return (await import('./analyse.ts')).analyseAudio(task.value, dependencies)
    default:
      throw serviceError('malformed', 'The worker received no task.')
  }
}

const kinds = { 413: 'too_large', 415: 'unsupported_media', 422: 'invalid' } as const

/** Converts a rejection of audio to an error that its sender can read. */
const readable = (error: unknown): unknown =>
  error instanceof AudioRefused
    ? serviceError(kinds[refusalStatus[error.reason]], error.message, { cause: error })
    : error

/** The models of a worker. Their code is loaded with the first one. */
const modelsOn = (device: DeviceChoice): ModelCache => {
  let loaded: Promise<ModelCache> | undefined
  const load = (): Promise<ModelCache> => {
    loaded ??= import('../generate/model/model-cache.ts').then(({ createModelCache }) => createModelCache(device))
    return loaded
  }
  return { open: async (folder) => (await load()).open(folder), close: async () => (await loaded)?.close() }
}

/**
 * Executes runs in an audio worker, in any form. The files are opened with the first run and reused. Abandoned writes of other
 * processes there are not cleaned up, since those may still be running.
 */
export const audioWork = (location: FilesLocation, device: DeviceChoice = 'auto'): Work => {
  let files: Promise<Files> | undefined
  const openOnce = (): Promise<Files> => {
    files ??= openFiles(location, { recover: false }).catch((error: unknown) => {
      files = undefined
      throw error
    })
    return files
  }
  const models = modelsOn(device)
  return async ({ input, progress, signal }) => {
    try {
      const dependencies: TaskDependencies = { files: await openOnce(), models, progress, signal }
      return AudioResult.encode(await perform(AudioTask.decode(input), dependencies)).finish()
    } catch (error) {
      throw readable(error)
    }
  }
}
