import { wholeGpu } from '../capacity/mod.ts'
import type { GenerationJob } from '../crds/mod.ts'
import { firstSeenEnded, isFinished, isLive, isPaused, runIdOf, unlessOvertaken } from '../runs/mod.ts'
import { done, isBeingDeleted, type Reconcile, type Result, requeueAfter } from '../runtime/mod.ts'
import { assign, begin, fallBack, order } from './begin.ts'
import { type Decision, decide } from './decide.ts'
import type { GenerationDependencies } from './dependencies.ts'
import { end, expire } from './finish.ts'
import { gpuRequest } from './gpu-request.ts'
import { acknowledge, type Run, settle } from './run.ts'
import { hasFallenBack } from './status.ts'
import { survey } from './survey.ts'

/** When the run's Job or pod was first seen to have ended; `now` if neither has. */
const endOf = ({ memory, found: { batch, current } }: Run, now: number): number => {
  const hasJobEnded = batch && (batch.state.kind === 'failed' || batch.state.kind === 'complete')
  const hasPodEnded = current && !isLive(current.state)
  const uid = hasPodEnded ? current.pod.metadata.uid : hasJobEnded ? batch.job.metadata.uid : undefined
  return uid === undefined ? now : firstSeenEnded(memory, uid, now)
}

const judge = ({ clock, gpus }: GenerationDependencies, run: Run): Decision => {
  const { job, facts, found, gpu, memory } = run
  const now = clock.now()
  const isWaiting = gpu && found.batch && (!found.current || found.current.state.kind === 'unscheduled')
  if (!isWaiting) delete memory.waitingSince
  else memory.waitingSince ??= now
  return decide({
    job,
    facts,
    found,
    gpu,
    isOffered: gpu && gpus.offers({ resource: wholeGpu, ...gpu }),
    acceptedAt: memory.acceptedAt,
    waitingSince: memory.waitingSince,
    endedAt: endOf(run, now),
    now,
  })
}

const advance = async (
  dependencies: GenerationDependencies,
  job: GenerationJob,
  signal: AbortSignal,
): Promise<Result> => {
  const { memories, events, clock, batchJobs: jobs, pods } = dependencies
  const runId = runIdOf(job)
  const gpu = hasFallenBack(job) ? undefined : gpuRequest(job)
  const found = survey(job, { runId, gpu, jobs, pods })
  const memory = memories.of(job, runId)
  const run: Run = { job, runId, memory, gpu, found, facts: events.factsOf(runId), signal }
  for (const pod of found.live) await assign(dependencies, run, pod)
  const decision = judge(dependencies, run)
  switch (decision.kind) {
    case 'end':
      return end(dependencies, run, decision)
    case 'fallBack':
      return fallBack(dependencies, run, decision.message)
    case 'obtain':
      return begin(dependencies, run, decision)
    case 'wait': {
      const { desiredStatus, milliseconds, isHeld = false } = decision
      if (isHeld) memory.acceptedAt = clock.now()
      if (desiredStatus) await settle(dependencies, run, desiredStatus, { isHeld })
      else acknowledge(dependencies, run, job.status)
      return requeueAfter(Math.min(milliseconds, (await order(dependencies, run)) ?? milliseconds))
    }
  }
}

/**
 * Reconciles a GenerationJob: runs it in a Job or an idle worker, finishes it, and removes it after its time to live.
 */
export const reconcileGenerationJob =
  (dependencies: GenerationDependencies): Reconcile =>
  async (key, { signal }) => {
    const job = dependencies.generationJobs.get(key)
    // The deletion handler in `attendRuns` reports its end.
    if (!job || isBeingDeleted(job) || isPaused(job)) return done
    // The cache lags behind our last write; its update triggers another reconcile.
    if (!dependencies.generationJobs.isCurrent(key)) return done
    return unlessOvertaken(() =>
      isFinished(job) ? expire(dependencies, job, signal) : advance(dependencies, job, signal),
    )
  }
