import { type FilesLocation, removeAbandonedWrites } from '@trellis/kit/files'
import type { WorkerKind } from '@trellis/kit/workloads'
import { type MusicConfig, modelRuntimeConfig, musicConfig, workerConfig } from '../config.ts'

/** Maximum V8 heap of a worker; samples and decoders are outside of it. */
const heapMegabytes = 1024

export type ModelRuntime = Pick<MusicConfig, keyof typeof modelRuntimeConfig>

const modelEnvironment = (values: Partial<ModelRuntime>): Record<string, string> => {
  const { modelDevice, libraryPath, visibleGpus, tf32Override } = modelRuntimeConfig
  return {
    ...(values.modelDevice !== undefined && { [modelDevice.variable]: values.modelDevice }),
    ...(values.libraryPath !== undefined && { [libraryPath.variable]: values.libraryPath }),
    ...(values.visibleGpus !== undefined && { [visibleGpus.variable]: values.visibleGpus }),
    ...(values.tf32Override !== undefined && { [tf32Override.variable]: values.tf32Override }),
  }
}

/** How audio workers are started on this machine. */
export const generationWorker = ({
  files,
  workers,
  memoryMegabytes = musicConfig.workerMegabytes.fallback,
  modelRuntime = {},
}: {
  files: FilesLocation
  workers: number
  memoryMegabytes?: number
  /** What workers need to know of this machine to run models. */
  modelRuntime?: Partial<ModelRuntime>
}): WorkerKind => ({
  module: new URL('./main.ts', import.meta.url),
  environment: { [workerConfig.files.variable]: JSON.stringify(files), ...modelEnvironment(modelRuntime) },
  concurrency: workers,
  warm: 1,
  idleMilliseconds: 60_000,
  runsPerWorker: 50,
  memoryMegabytes: Math.min(heapMegabytes, memoryMegabytes),
  residentMegabytes: memoryMegabytes,
  ...(files.kind === 'directory' && { cleanUp: (pid: number) => removeAbandonedWrites(files.path, pid) }),
})
