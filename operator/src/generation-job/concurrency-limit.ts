import type { GenerationJob } from '../crds/mod.ts'
import { unfinishedIndex } from '../runs/mod.ts'
import { queueOf } from './batch-job.ts'
import type { GenerationDependencies } from './dependencies.ts'

/** Whether a run may have a worker: no more than so many at a time do, but for those whose time a queue decides. */
export const isBelowLimit = (
  {
    generationJobs,
    batchJobs,
    pods,
    memories,
    maxRuns,
  }: Pick<GenerationDependencies, 'generationJobs' | 'batchJobs' | 'pods' | 'memories' | 'maxRuns'>,
  job: GenerationJob,
): boolean => {
  // What this process began may not show yet. What was begun before it was there shows, and need not say so itself yet.
  const isBegun = ({ status, metadata: { uid } }: GenerationJob) =>
    status.startTime !== undefined ||
    memories.peek(uid)?.isAdmitted ||
    batchJobs.by('owner', uid).length > 0 ||
    pods.by('owner', uid).length > 0
  if (isBegun(job) || queueOf(job) !== undefined) return true
  const others = generationJobs
    .by(unfinishedIndex, unfinishedIndex)
    .filter((other) => queueOf(other) === undefined && isBegun(other))
  return others.length < maxRuns
}
