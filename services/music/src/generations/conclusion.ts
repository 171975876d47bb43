import { type ErrorKind, isServiceError } from '@trellis/kit/errors'
import { publishConclusion } from '@trellis/kit/workloads'
import type { RunConcluded, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { nodeFile } from '../audio/files-layout.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'

type Made = Pick<NodeRow, 'id' | 'frames' | 'distance_percentile' | 'loudness_step_lu' | 'beat_error_ms'>

/** The result shown on the object of a successful generation: the location of the audio, its length, and its seam. */
export const conclusionOf = (node: Made, { sample_rate }: Pick<ChainRow, 'sample_rate'>): RunConcluded => ({
  failure: null,
  outputKey: nodeFile(node.id, 'samples'),
  outputSeconds: node.frames / sample_rate,
  distancePercentile: node.distance_percentile,
  loudnessStepLu: node.loudness_step_lu,
  beatErrorMs: node.beat_error_ms,
})

/** A failure of the service itself, in the form of the operator. */
export const failed = (reason: string, kind: ErrorKind, detail: string): RunFailed => ({ reason, kind, detail })

/** The failure of a generation that threw before any report. */
export const failureOf = (error: unknown): RunFailed =>
  isServiceError(error)
    ? { ...failed('Failed', error.kind, error.message), retryAfterSeconds: error.retryAfterSeconds }
    : failed('Failed', 'internal', 'An internal error occurred.')

/** Publishes the outcome of a run to the operator, where runs are objects. Throws `unavailable` if it cannot. */
export const announce = async (
  { bus, runsAreObjects }: Pick<Dependencies, 'bus' | 'runsAreObjects'>,
  runId: string,
  outcome: RunConcluded | { failure: RunFailed },
): Promise<void> => {
  if (runsAreObjects) await publishConclusion(bus, runId, outcome)
}
