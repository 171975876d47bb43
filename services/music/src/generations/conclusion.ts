import { type ErrorKind, isServiceError } from '@trellis/kit/errors'
import { publishConclusion } from '@trellis/kit/workloads'
import type { RunConcluded, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { nodeFile } from '../audio/files-layout.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'

type Made = Pick<NodeRow, 'id' | 'frames' | 'distance_percentile' | 'loudness_step_lu' | 'beat_error_ms'>

/** What the object of a generation that went well shows: where the audio lies, how long it is, how it joins. */
export const conclusionOf = (node: Made, { sample_rate }: Pick<ChainRow, 'sample_rate'>): RunConcluded => ({
  failure: null,
  outputKey: nodeFile(node.id, 'samples'),
  outputSeconds: node.frames / sample_rate,
  distancePercentile: node.distance_percentile,
  loudnessStepLu: node.loudness_step_lu,
  beatErrorMs: node.beat_error_ms,
})

/** A failure of the service's own, in the operator's words. */
export const failed = (reason: string, kind: ErrorKind, detail: string): RunFailed => ({ reason, kind, detail })

/** What a generation failed with that never came to a report. */
export const failureOf = (error: unknown): RunFailed =>
  isServiceError(error)
    ? { ...failed('Failed', error.kind, error.message), retryAfterSeconds: error.retryAfterSeconds }
    : failed('Failed', 'internal', 'Something went wrong here.')

/** Tells the operator what a run came to, where runs are objects. Throws `unavailable` where it cannot be told. */
export const announce = async (
  { bus, runsAreObjects }: Pick<Dependencies, 'bus' | 'runsAreObjects'>,
  runId: string,
  outcome: RunConcluded | { failure: RunFailed },
): Promise<void> => {
  if (runsAreObjects) await publishConclusion(bus, runId, outcome)
}
