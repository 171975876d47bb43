import type { GenerationJob } from '../crds/mod.ts'
import {
  expiresIn,
  isLive,
  logEnd,
  releaseWorker,
  remainingGraceMilliseconds,
  runIdOf,
  staleStatus,
  tellFailure,
} from '../runs/mod.ts'
import { done, type Result, requeueAfter } from '../runtime/mod.ts'
import type { Decision } from './decide.ts'
import type { GenerationDependencies } from './dependencies.ts'
import { gpuRequest } from './gpu-wish.ts'
import { type Run, settle, warn } from './run.ts'
import { generationStatus, hasFallenBack, outcomeOf } from './status.ts'
import { type Survey, survey } from './survey.ts'
import { removeGenerationJob, stopJob, stopPod, writeStatus } from './writes.ts'

/** Ends what a run has at work. What has ended by itself stays, with what it has logged, until the run is removed. */
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

/** Lets go of all that is kept for a run that is over. */
const forget = ({ events, memories }: GenerationDependencies, { metadata }: GenerationJob, runId: string): void => {
  events.forget(runId)
  memories.forget(metadata.uid)
}

/** Ends a run. Its topic says so before its status does: what was not told is told again, what is in the status is over. */
export const end = async (
  dependencies: GenerationDependencies,
  run: Run,
  { desiredStatus, concluded, tell, stops }: Extract<Decision, { kind: 'end' }>,
): Promise<Result> => {
  const { job, runId, found, signal } = run
  if (tell && !(await tellFailure(dependencies, { runId, failure: tell, signal }))) return requeueAfter(0)
  if (stops) await stopRun(dependencies, found, signal)
  await settle(dependencies, run, desiredStatus, { more: outcomeOf(concluded) })
  dependencies.runMetrics?.ended('generation', desiredStatus)
  logEnd(dependencies.log, { workload: 'generation', object: job, runId, desiredStatus, now: dependencies.clock.now() })
  if (desiredStatus.phase === 'Failed') warn(dependencies, job, desiredStatus.reason, desiredStatus.message)
  if (!stops && found.current) await releaseWorker(dependencies, found.current)
  forget(dependencies, job, runId)
  return done
}

/** A GenerationJob that has ended stays for a while with its pods, and goes. */
export const expire = async (
  dependencies: GenerationDependencies,
  job: GenerationJob,
  signal: AbortSignal,
): Promise<Result> => {
  const { clock, batchJobs: jobs, pods } = dependencies
  const runId = runIdOf(job)
  forget(dependencies, job, runId)
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
