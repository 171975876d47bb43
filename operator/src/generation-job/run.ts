import { type GenerationJob, type GenerationJobStatus, generationJobs } from '../crds/mod.ts'
import { type Desired, type DesiredStatus, isNewWarning, type RunFacts, stabilizeMessage } from '../runs/mod.ts'
import { keyOf, secondsTime } from '../runtime/mod.ts'
import type { GenerationDependencies } from './dependencies.ts'
import type { GpuRequest } from './gpu-request.ts'
import type { GenerationMemory } from './memory.ts'
import { generationStatus, progressOf, reflectsAll } from './status.ts'
import type { Survey } from './survey.ts'
import { writeStatus } from './writes.ts'

/** The run in one reconcile. */
export type Run = {
  job: GenerationJob
  runId: string
  memory: GenerationMemory
  /** The GPUs that its Job has or should have. */
  gpu: GpuRequest | undefined
  found: Survey
  facts: RunFacts
  signal: AbortSignal
}

/** Records a warning event. Success shows only in the status: an event for each would double the requests. */
export const warn = ({ recorder }: GenerationDependencies, job: GenerationJob, reason: string, note: string): void =>
  recorder.record(generationJobs, job, { type: 'Warning', reason, action: 'Run', note })

/** Acknowledges the run's events if the status reflects them. */
export const acknowledge = (
  { events }: GenerationDependencies,
  { runId, facts, found }: Run,
  status: GenerationJobStatus,
): void => {
  if (reflectsAll(status, facts, found.current?.pod.metadata.name)) events.reflected(runId, facts.version)
}

const countStart = ({ runMetrics }: GenerationDependencies, { memory, found, facts }: Run): void => {
  if (facts.started && found.current)
    runMetrics?.started('generation', found.current.isClaimed, facts.started.at - memory.acceptedAt)
}

/** The status fields of every run besides its state; if it `isHeld`, its deadline has not started. */
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

/** Logs that the run's Job has replaced a lost pod. */
const logReplacement = ({ log }: GenerationDependencies, { job, runId, found: { batch, current } }: Run): void => {
  const before = job.status.podName
  const pod = current?.pod.metadata.name
  // The operator itself replaced pods of other Jobs and claimed ones, and logged that.
  if (!before || !pod || before === pod || !batch || !before.startsWith(`${batch.job.metadata.name}-`)) return
  const because = `Its Job made ${pod} in place of ${before}.`
  log.info({ runId, object: keyOf(job.metadata), because }, 'repair: a lost worker is replaced')
}

/** Writes the state of a run if it changed, and acknowledges the events that led to it. */
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
  const stable = stabilizeMessage(job.status, desiredStatus)
  const now = dependencies.clock.now()
  const desired = {
    ...common(run, isHeld),
    ...generationStatus(job, { desiredStatus: stable, now, fallenBack }),
    ...more,
  }
  acknowledge(dependencies, run, await writeStatus(dependencies, job, desired, signal))
  logReplacement(dependencies, run)
  if (stable.phase === 'Running' && job.status.phase !== 'Running') countStart(dependencies, run)
  // Waiting in a queue deserves no warning.
  const isQueued = found.batch?.state.kind === 'suspended'
  if (!isQueued && isNewWarning(job.status, stable)) warn(dependencies, job, stable.reason, stable.message)
}
