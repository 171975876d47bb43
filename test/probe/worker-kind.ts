import type { WorkerKind } from '@trellis/kit/workloads'

/** Workers that perform the tasks of tests. */
export const probeWorker: WorkerKind = {
  module: new URL('./worker.ts', import.meta.url),
  environment: { PROBE: 'configured' },
  concurrency: 2,
  warm: 1,
  idleMilliseconds: 10_000,
  runsPerWorker: 10,
  memoryMegabytes: 64,
  residentMegabytes: 512,
}
