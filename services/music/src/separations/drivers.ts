import type { Dependencies } from '../dependencies.ts'
import { driveJobs } from '../jobs/drive-jobs.ts'
import { driveSeparation } from './drive.ts'
import { separationQueue } from './job.ts'
import { separatingStems } from './store.ts'

/** Time limit for one delivery to wait for the servers that a separation depends on, in milliseconds. */
const longestOutage = 3_600_000

/** Drives separations until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveSeparations = (dependencies: Dependencies): Promise<void> =>
  driveJobs(dependencies, {
    queue: separationQueue,
    what: 'separation',
    concurrency: dependencies.config.separations,
    longestOutage,
    drive: (job, delivery) => driveSeparation(dependencies, job, delivery),
    unfinished: async () =>
      (await separatingStems(dependencies.db)).map(({ node_id, run_id }) => ({ nodeId: node_id, runId: run_id })),
  })
