import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { GenerationJob, GenerationJobStatus } from '../crds/mod.ts'
import { type Desired, type DesiredStatus, type RunFacts, reflects, runStatus } from '../runs/mod.ts'
import { conditionOf, mergeConditions } from '../runtime/mod.ts'

/** Type and reason of the lasting condition that explains why a run that requested a GPU has none. */
export const gpuFallback = 'GPUFallback'

/** Whether a run has stopped waiting for a GPU. */
export const hasFallenBack = ({ status }: GenerationJob): boolean =>
  conditionOf(status.conditions, gpuFallback)?.status === 'True'

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
export const progressOf = ({ progress }: RunFacts): number | undefined =>
  progress && Math.round(Math.min(1, Math.max(0, progress.fraction)) * 100) / 100

/** Builds the status of a run; `fallenBack` adds the condition that explains why it continues without a GPU. */
export const generationStatus = (
  job: GenerationJob,
  { desiredStatus, now, fallenBack }: { desiredStatus: DesiredStatus; now: number; fallenBack?: string | undefined },
): Desired<GenerationJobStatus> => {
  const status = runStatus(job, desiredStatus, now)
  if (fallenBack === undefined) return status as Desired<GenerationJobStatus>
  const condition = {
    type: gpuFallback,
    status: 'True' as const,
    reason: gpuFallback,
    message: fallenBack,
    observedGeneration: job.metadata.generation ?? 1,
  }
  return {
    ...status,
    conditions: mergeConditions(status.conditions ?? [], [condition], now),
  } as Desired<GenerationJobStatus>
}

/** Whether the status reflects all events of a run, including its progress. */
export const reflectsAll = (status: GenerationJobStatus, facts: RunFacts, podName: string | undefined): boolean =>
  reflects(status, facts, podName) && (facts.progress === undefined || status.progress === progressOf(facts))
