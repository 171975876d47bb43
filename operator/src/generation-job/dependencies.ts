import type { GenerationJob } from '../crds/mod.ts'
import type { Run, RunParts, RunSteps } from '../runs/mod.ts'
import type { Store } from '../runtime/mod.ts'
import type { BatchJob } from './batch-job.ts'
import type { Survey } from './survey.ts'

/** A GenerationJob in one reconcile. */
export type GenerationRun = Run<GenerationJob, Survey>

/** Dependencies of the GenerationJob controller. */
export type GenerationParts = RunParts<GenerationJob> & { steps: RunSteps<GenerationJob, Survey> }

/** The dependencies plus the cache of Jobs and the ways to stop them. */
export type GenerationDependencies = GenerationParts & {
  batchJobs: Store<BatchJob>
  /** Deletes a Job, which remains until its pods are gone. */
  stopJob: (job: BatchJob, signal: AbortSignal) => Promise<void>
  /** Stops the workers of a run. Those that ended by themselves stay, with their logs, until the run is removed. */
  stop: (run: Pick<GenerationRun, 'found' | 'signal'>) => Promise<void>
}
