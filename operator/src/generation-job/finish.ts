import type { GenerationJob } from '../crds/mod.ts'
import { expiresIn, isLive, lingersFor, logEnd, releaseWorker, runIdOf, tellFailure, unobserved } from '../runs/mod.ts'
import { done, type Result, requeueAfter } from '../runtime/mod.ts'
import type { Decision } from './decide.ts'
import { gpuWish } from './gpu-wish.ts'
import { type Run, settle, warn } from './run.ts'
import { generationStatus, hasFallenBack, outcomeOf } from './status.ts'
import { type Survey, survey } from './survey.ts'
import type { GenerationWorld } from './world.ts'
import { removeGenerationJob, stopJob, stopPod, writeStatus } from './writes.ts'

/** Ends what a run has at work. What has ended by itself stays, with what it has logged, until the run is removed. */
export const stopRun = async (world: GenerationWorld, found: Survey, signal: AbortSignal): Promise<void> => {
  const { batch, current, surplus } = found
  const isAtWork = batch && (batch.state.kind === 'active' || batch.state.kind === 'suspended')
  for (const job of [...(isAtWork ? [batch.job] : []), ...surplus]) await stopJob(world, job, signal)
  if (current?.isClaimed && isLive(current.state)) await stopPod(world, current.pod, signal)
}

/** Lets go of all that is kept for a run that is over. */
const forget = ({ notices, memories }: GenerationWorld, { metadata }: GenerationJob, runId: string): void => {
  notices.forget(runId)
  memories.forget(metadata.uid)
}

/** Ends a run. Its topic says so before its status does: what was not told is told again, what is in the status is over. */
export const end = async (
  world: GenerationWorld,
  run: Run,
  { standing, concluded, tell, stops }: Extract<Decision, { kind: 'end' }>,
): Promise<Result> => {
  const { job, runId, found, signal } = run
  if (tell && !(await tellFailure(world, { runId, failure: tell, signal }))) return requeueAfter(0)
  if (stops) await stopRun(world, found, signal)
  await settle(world, run, standing, { more: outcomeOf(concluded) })
  world.runMetrics?.ended('generation', standing)
  logEnd(world.log, { workload: 'generation', object: job, runId, standing, now: world.clock.now() })
  if (standing.phase === 'Failed') warn(world, job, standing.reason, standing.message)
  if (!stops && found.current) await releaseWorker(world, found.current)
  forget(world, job, runId)
  return done
}

/** A GenerationJob that has ended stays for a while with its pods, and goes. */
export const expire = async (world: GenerationWorld, job: GenerationJob, signal: AbortSignal): Promise<Result> => {
  const { clock, batchJobs: jobs, pods } = world
  const runId = runIdOf(job)
  forget(world, job, runId)
  const now = clock.now()
  const left = expiresIn(job, now) ?? 0
  if (left === 0) {
    await removeGenerationJob(world, job, signal)
    return done
  }
  const standing = unobserved(job)
  if (standing) await writeStatus(world, job, generationStatus(job, { standing, now }), signal)
  const gpu = hasFallenBack(job) ? undefined : gpuWish(job)
  const found = survey(job, { runId, gpu, jobs, pods })
  if (found.live.length === 0) return requeueAfter(left)
  const untilStopped = lingersFor(job.status, now)
  if (untilStopped > 0) return requeueAfter(Math.min(left, untilStopped))
  await stopRun(world, found, signal)
  return requeueAfter(left)
}
