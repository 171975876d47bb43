import type { FilesLocation } from '@trellis/kit/files'
import type { WorkerKind } from '@trellis/kit/workloads'
import { workerConfig } from '../config.ts'

/** A worker decodes, analyses and generates: a few hundred megabytes for the longest pieces. */
const MEMORY_MEGABYTES = 1024

/** How workers for audio are started on this machine. */
export const generationWorker = ({ files, workers }: { files: FilesLocation; workers: number }): WorkerKind => ({
  module: new URL('./main.ts', import.meta.url),
  environment: { [workerConfig.files.variable]: JSON.stringify(files) },
  concurrency: workers,
  warm: 1,
  idleMilliseconds: 60_000,
  runsPerWorker: 50,
  memoryMegabytes: MEMORY_MEGABYTES,
})
