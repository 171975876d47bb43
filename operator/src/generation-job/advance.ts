import { wholeGpu } from '../capacity/mod.ts'
import { type Ending, firstSeenEnded, isLive } from '../runs/mod.ts'
import { type Result, requeueAfter } from '../runtime/mod.ts'
import { begin, fallBack } from './begin.ts'
import { type Decision, decide } from './decide.ts'
import type { GenerationDependencies, GenerationRun } from './dependencies.ts'

/** When the run's Job or pod was first seen to have ended; `now` if neither has. */
const endOf = ({ memory, found: { batch, current } }: GenerationRun, now: number): number => {
  const hasJobEnded = batch && (batch.state.kind === 'failed' || batch.state.kind === 'complete')
  const hasPodEnded = current && !isLive(current.state)
  const uid = hasPodEnded ? current.pod.metadata.uid : hasJobEnded ? batch.job.metadata.uid : undefined
  return uid === undefined ? now : firstSeenEnded(memory, uid, now)
}

const judge = ({ clock, gpus }: GenerationDependencies, run: GenerationRun): Decision => {
  const { object, facts, found, memory } = run
  const { gpu } = found
  const now = clock.now()
  const isWaiting = gpu && found.batch && (!found.current || found.current.state.kind === 'unscheduled')
  if (!isWaiting) delete memory.waitingSince
  else memory.waitingSince ??= now
  return decide({
    job: object,
    facts,
    found,
    isOffered: gpu && gpus.offers({ resource: wholeGpu, ...gpu }),
    acceptedAt: memory.acceptedAt,
    quietUntil: memory.quietUntil,
    waitingSince: memory.waitingSince,
    endedAt: endOf(run, now),
    now,
  })
}

const wait = async (
  { steps }: GenerationDependencies,
  run: GenerationRun,
  { desiredStatus, milliseconds, ...decision }: Extract<Decision, { kind: 'wait' }>,
): Promise<Result> => {
  const isHeld = decision.isHeld === true
  run.memory.isHeld = isHeld
  if (desiredStatus) {
    // Waiting in a queue deserves no warning.
    await steps.settle(run, desiredStatus, { isHeld, isQuiet: run.found.batch?.state.kind === 'suspended' })
  } else steps.acknowledge(run)
  return requeueAfter(Math.min(milliseconds, (await steps.requestPlan(run)) ?? milliseconds))
}

/** Brings an unfinished GenerationJob closer to its end. */
export const advance = async (dependencies: GenerationDependencies, run: GenerationRun): Promise<Result | Ending> => {
  for (const pod of run.found.live) await dependencies.steps.assign(run, pod)
  const decision = judge(dependencies, run)
  switch (decision.kind) {
    case 'end':
      return decision
    case 'fallBack':
      return fallBack(dependencies, run, decision.message)
    case 'obtain':
      return begin(dependencies, run, decision)
    case 'wait':
      return wait(dependencies, run, decision)
  }
}
