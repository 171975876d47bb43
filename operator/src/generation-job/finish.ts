import type { GenerationJob } from '../crds/mod.ts'
import {
  expiresIn,
  isLive,
  logEnd,
  releaseWorker,
  remainingGraceMilliseconds,
  reportFailure,
  runIdOf,
  staleStatus,
} from '../runs/mod.ts'
import { done, type Result, requeueAfter } from '../runtime/mod.ts'
import type { Decision } from './decide.ts'
import type { GenerationDependencies } from './dependencies.ts'
import { gpuRequest } from './gpu-request.ts'
import { type Run, settle, warn } from './run.ts'
import { generationStatus, hasFallenBack, outcomeOf } from './status.ts'
import { type Survey, survey } from './survey.ts'
import { removeGenerationJob, stopJob, stopPod, writeStatus } from './writes.ts'

/** Stops the workers of a run. Those that ended by themselves stay, with their logs, until the run is removed. */
export const stopRun = async (
  dependencies: GenerationDependencies,
  found: Survey,
  signal: AbortSignal,
): Promise<void> => {
  const { batch, current, surplus } = found
  const isAtWork = batch && (batch.state.kind === 'active' || batch.state.kind === 'suspended')
  for (const job of [...(isAtWork ? [batch.job] : []), ...surplus]) await stopJob(dependencies, job, signal)
  if (current?.isClaimed && isLive(current.state)) await stopPod(dependencies, current.pod, signal)
}

/** Releases the in-memory state of a finished run. */
const release = ({ events, memories }: GenerationDependencies, { metadata }: GenerationJob, runId: string): void => {
  events.drop(runId)
  memories.drop(metadata.uid)
}

/**
 * Ends a run. The report goes to the topic before the status is written: an unreported end is retried, but a run with a
 * final status is over.
 */
export const end = async (
  dependencies: GenerationDependencies,
  run: Run,
  { desiredStatus, concluded, report, stops }: Extract<Decision, { kind: 'end' }>,
): Promise<Result> => {
  const { job, runId, found, signal } = run
  if (report && !(await reportFailure(dependencies, { runId, failure: report, signal }))) return requeueAfter(0)
  if (stops) await stopRun(dependencies, found, signal)
  await settle(dependencies, run, desiredStatus, { more: outcomeOf(concluded) })
  dependencies.runMetrics?.ended('generation', desiredStatus)
  logEnd(dependencies.log, { workload: 'generation', object: job, runId, desiredStatus, now: dependencies.clock.now() })
  if (desiredStatus.phase === 'Failed') warn(dependencies, job, desiredStatus.reason, desiredStatus.message)
  if (!stops && found.current) await releaseWorker(dependencies, found.current)
  release(dependencies, job, runId)
  return done
}

/** Retains a finished GenerationJob with its pods until its time to live is over, then removes it. */
export const expire = async (
  dependencies: GenerationDependencies,
  job: GenerationJob,
  signal: AbortSignal,
): Promise<Result> => {
  const { clock, batchJobs: jobs, pods } = dependencies
  const runId = runIdOf(job)
  release(dependencies, job, runId)
  const now = clock.now()
  const left = expiresIn(job, now) ?? 0
  if (left === 0) {
    await removeGenerationJob(dependencies, job, signal)
    return done
  }
  const desiredStatus = staleStatus(job)
  if (desiredStatus) await writeStatus(dependencies, job, generationStatus(job, { desiredStatus, now }), signal)
  const gpu = hasFallenBack(job) ? undefined : gpuRequest(job)
  const found = survey(job, { runId, gpu, jobs, pods })
  if (found.live.length === 0) return requeueAfter(left)
  const untilStopped = remainingGraceMilliseconds(job.status, now)
  if (untilStopped > 0) return requeueAfter(Math.min(left, untilStopped))
  await stopRun(dependencies, found, signal)
  return requeueAfter(left)
}
