import { type RunKind, runEvents, workerEvents } from '@trellis/kit/workloads'
import type { RunEventOf } from '../src/runs/mod.ts'

/** The queue for a run event: the workers' queue of the kind, or the services' queue for `concluded` and `cancelled`. */
export const runEventsFor = (kind: RunKind, { $case }: RunEventOf) =>
  $case === 'concluded' || $case === 'cancelled' ? runEvents : workerEvents[kind]
