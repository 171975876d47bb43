import { type FilesLocation, removeAbandonedWrites } from '@trellis/kit/files'
import type { WorkerKind } from '@trellis/kit/workloads'
import { musicConfig, workerConfig } from '../config.ts'

/** Maximum V8 heap of a worker; samples and decoders are outside of it. */
const heapMegabytes = 1024

/** How audio workers are started on this machine. */
export const generationWorker = ({
  files,
  workers,
  memoryMegabytes = musicConfig.workerMegabytes.fallback,
}: {
  files: FilesLocation
  workers: number
  memoryMegabytes?: number
}): WorkerKind => ({
  module: new URL('./main.ts', import.meta.url),
  environment: { [workerConfig.files.variable]: JSON.stringify(files) },
  concurrency: workers,
  warm: 1,
  idleMilliseconds: 60_000,
  runsPerWorker: 50,
  memoryMegabytes: Math.min(heapMegabytes, memoryMegabytes),
  residentMegabytes: memoryMegabytes,
  ...(files.kind === 'directory' && { cleanUp: (pid: number) => removeAbandonedWrites(files.path, pid) }),
})
