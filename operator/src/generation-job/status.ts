import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { GenerationJobStatus } from '../crds/mod.ts'
import type { Desired, RunFacts } from '../runs/mod.ts'
import type { GenerationRun } from './dependencies.ts'

/** The status fields of the result that the service reported. */
export const outcomeOf = (concluded: RunConcluded | undefined): Desired<GenerationJobStatus> => {
  const { outputKey, outputSeconds, distancePercentile, loudnessStepLu, beatErrorMs } = concluded ?? {}
  const seam = {
    ...(typeof distancePercentile === 'number' ? { distancePercentile } : {}),
    ...(typeof loudnessStepLu === 'number' ? { loudnessStepLu } : {}),
    ...(typeof beatErrorMs === 'number' ? { beatErrorMs } : {}),
  }
  return {
    ...(outputKey ? { output: { key: outputKey, seconds: outputSeconds ?? 0 }, progress: 1 } : {}),
    ...(Object.keys(seam).length > 0 ? { seam } : {}),
  }
}

/** Progress rounded to the hundredth: finer steps are not worth a write. */
const progressOf = ({ progress }: RunFacts): number | undefined =>
  progress && Math.round(Math.min(1, Math.max(0, progress.fraction)) * 100) / 100

/** The status fields of a GenerationJob besides those of every run. */
export const fieldsOf = ({ facts, found }: GenerationRun): Desired<GenerationJobStatus> => {
  const progress = progressOf(facts)
  return { ...(progress === undefined ? {} : { progress }), attempts: found.attempts }
}

/** Whether the status reflects the progress of a run. */
export const reflectsProgress = (status: GenerationJobStatus, { facts }: GenerationRun): boolean =>
  facts.progress === undefined || status.progress === progressOf(facts)

/** Why the run has another pod than its status names, if its Job replaced that. */
export const replacementOf = ({ object, found: { batch, current } }: GenerationRun): string | undefined => {
  const before = object.status.podName
  const pod = current?.pod.metadata.name
  if (!before || !pod || before === pod) return undefined
  // The operator itself replaced pods of other Jobs and claimed ones, and logged that.
  return batch && before.startsWith(`${batch.job.metadata.name}-`)
    ? `Its Job made ${pod} in place of ${before}.`
    : undefined
}
