import { generatingNodes } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { driveJobs } from '../jobs/drive-jobs.ts'
import { driveGeneration } from './drive.ts'
import { DEADLINE_SECONDS, generationQueue } from './job.ts'

/** Generations that one replica follows concurrently; more wait in the queue, while their runs continue. */
const drivenAtOnce = 64

/** Drives generations until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveGenerations = (dependencies: Dependencies): Promise<void> =>
  driveJobs(dependencies, {
    queue: generationQueue,
    what: 'generation',
    concurrency: drivenAtOnce,
    longestOutage: DEADLINE_SECONDS * 1_000,
    drive: (job, delivery) => driveGeneration(dependencies, job, delivery),
    unfinished: async () =>
      (await generatingNodes(dependencies.db)).flatMap(({ id, run_id }) =>
        run_id ? [{ nodeId: id, runId: run_id }] : [],
      ),
  })
