import type { GenerationJob } from '../crds/mod.ts'
import { unfinishedIndex } from '../runs/mod.ts'
import { queueOf } from './batch-job.ts'
import type { GenerationDependencies } from './dependencies.ts'

/** Whether a run may have a worker. Runs that a Kueue queue admits are not limited. */
export const isBelowLimit = (
  {
    store,
    batchJobs,
    pods,
    memories,
    maxRuns,
  }: Pick<GenerationDependencies, 'store' | 'batchJobs' | 'pods' | 'memories' | 'maxRuns'>,
  job: GenerationJob,
): boolean => {
  // Runs started by this process may not be in the cache yet. Runs started earlier have a Job or pod, though perhaps no
  // start time yet.
  const isBegun = ({ status, metadata: { uid } }: GenerationJob) =>
    status.startTime !== undefined ||
    memories.peek(uid)?.isAdmitted ||
    batchJobs.by('owner', uid).length > 0 ||
    pods.by('owner', uid).length > 0
  if (isBegun(job) || queueOf(job) !== undefined) return true
  const others = store
    .by(unfinishedIndex, unfinishedIndex)
    .filter((other) => queueOf(other) === undefined && isBegun(other))
  return others.length < maxRuns
}
