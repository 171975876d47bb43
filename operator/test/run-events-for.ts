import { type RunKind, runEvents, workerEvents } from '@trellis/kit/workloads'
import type { RunEventOf } from '../src/runs/mod.ts'

/** The queue that a notice is sent in: that of the workers of a kind, or that of the services. */
export const runEventsFor = (kind: RunKind, { $case }: RunEventOf) =>
  $case === 'concluded' || $case === 'cancelled' ? runEvents : workerEvents[kind]
