import { type GenerationJob, type GenerationJobStatus, generationJobs } from '../crds/mod.ts'
import { type Desired, type DesiredStatus, isNewWarning, type RunFacts, stabilizeMessage } from '../runs/mod.ts'
import { keyOf, secondsTime } from '../runtime/mod.ts'
import type { GenerationDependencies } from './dependencies.ts'
import type { GpuRequest } from './gpu-wish.ts'
import type { GenerationMemory } from './memory.ts'
import { generationStatus, progressOf, saysAll } from './status.ts'
import type { Survey } from './survey.ts'
import { writeStatus } from './writes.ts'

/** A run that is worked on: what one reconcile knows of it. */
export type Run = {
  job: GenerationJob
  runId: string
  memory: GenerationMemory
  /** What its Job has, or is to have. */
  gpu: GpuRequest | undefined
  found: Survey
  facts: RunFacts
  signal: AbortSignal
}

/** Tells people of something that went wrong. What goes well they read in the status: an event each would double the requests. */
export const warn = ({ recorder }: GenerationDependencies, job: GenerationJob, reason: string, note: string): void =>
  recorder.record(generationJobs, job, { type: 'Warning', reason, action: 'Run', note })

/** Has what was heard acknowledged, as far as the status says it. */
export const acknowledge = (
  { events }: GenerationDependencies,
  { runId, facts, found }: Run,
  status: GenerationJobStatus,
): void => {
  if (saysAll(status, facts, found.current?.pod.metadata.name)) events.reflected(runId, facts.version)
}

const countStart = ({ runMetrics }: GenerationDependencies, { memory, found, facts }: Run): void => {
  if (facts.started && found.current)
    runMetrics?.started('generation', found.current.isClaimed, facts.started.at - memory.acceptedAt)
}

/** What every status of a run says beside how it stands; where it `isHeld` its time has not begun. */
const common = ({ job, memory, found, facts }: Run, isHeld: boolean): Desired<GenerationJobStatus> => {
  const podName = found.current?.pod.metadata.name
  const progress = progressOf(facts)
  return {
    ...(isHeld ? {} : { startTime: job.status.startTime ?? secondsTime(memory.acceptedAt) }),
    ...(podName === undefined ? {} : { podName }),
    ...(progress === undefined ? {} : { progress }),
    attempts: found.attempts,
  }
}

/** Writes a line where the Job of a run has made a pod in place of one that was lost. */
const logReplacement = ({ log }: GenerationDependencies, { job, runId, found: { batch, current } }: Run): void => {
  const before = job.status.podName
  const pod = current?.pod.metadata.name
  // A pod of another Job, or one that was claimed, was replaced by the operator, which has its line.
  if (!before || !pod || before === pod || !batch || !before.startsWith(`${batch.job.metadata.name}-`)) return
  const because = `Its Job made ${pod} in place of ${before}.`
  log.info({ runId, object: keyOf(job.metadata), because }, 'repair: a lost worker is replaced')
}

/** Writes how a run stands, where that is news, and acknowledges what it was learned from. */
export const settle = async (
  dependencies: GenerationDependencies,
  run: Run,
  desiredStatus: DesiredStatus,
  {
    isHeld = false,
    fallenBack,
    more = {},
  }: { isHeld?: boolean; fallenBack?: string; more?: Desired<GenerationJobStatus> } = {},
): Promise<void> => {
  const { job, found, signal } = run
  const said = stabilizeMessage(job.status, desiredStatus)
  const now = dependencies.clock.now()
  const desired = {
    ...common(run, isHeld),
    ...generationStatus(job, { desiredStatus: said, now, fallenBack }),
    ...more,
  }
  acknowledge(dependencies, run, await writeStatus(dependencies, job, desired, signal))
  logReplacement(dependencies, run)
  if (said.phase === 'Running' && job.status.phase !== 'Running') countStart(dependencies, run)
  // To wait in a queue is nothing to warn of.
  const isQueued = found.batch?.state.kind === 'suspended'
  if (!isQueued && isNewWarning(job.status, said)) warn(dependencies, job, said.reason, said.message)
}
