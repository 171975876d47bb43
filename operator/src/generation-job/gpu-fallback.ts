import type { GenerationJob } from '../crds/mod.ts'
import { type ConditionState, conditionOf } from '../runtime/mod.ts'

/** Type and reason of the lasting condition that explains why a run that requested a GPU has none. */
export const gpuFallback = 'GPUFallback'

/** Whether a run has stopped waiting for a GPU. */
export const hasFallenBack = ({ status }: GenerationJob): boolean =>
  conditionOf(status.conditions, gpuFallback)?.status === 'True'

/** The condition of a run that continues without a GPU; the message explains why. */
export const fallbackCondition = ({ metadata }: GenerationJob, message: string): ConditionState => ({
  type: gpuFallback,
  status: 'True',
  reason: gpuFallback,
  message,
  observedGeneration: metadata.generation ?? 1,
})
