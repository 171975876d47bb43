import type { Log } from '@trellis/kit/telemetry'
import { type KubeObject, keyOf } from '../runtime/mod.ts'
import type { DesiredStatus, RunStatus } from './run-status.ts'

/** A finished run: its object and its outcome. */
export type EndedRun = {
  workload: 'search' | 'generation'
  object: KubeObject & { status: RunStatus }
  runId: string
  desiredStatus: DesiredStatus
  now: number
}

/** Logs the end of a run as one line. `seconds` counts from when the operator accepted the run. */
export const logEnd = (log: Log, { workload, object, runId, desiredStatus, now }: EndedRun): void => {
  const { metadata, status } = object
  const { phase, reason, message } = desiredStatus
  const startedAt = Date.parse(status.startTime ?? '')
  const seconds = Number.isNaN(startedAt) ? undefined : Math.round((now - startedAt) / 100) / 10
  log.info(
    { workload, runId, object: keyOf(metadata), phase, reason, seconds, pod: status.podName, detail: message },
    'a run ended',
  )
}
