import { type RunKind, runEvents, workerEvents } from '@trellis/kit/workloads'
import type { Notice } from '../src/runs/mod.ts'

/** The queue that a notice is sent in: that of the workers of a kind, or that of the services. */
export const noticesFor = (kind: RunKind, { $case }: Notice) =>
  $case === 'concluded' || $case === 'cancelled' ? runEvents : workerEvents[kind]
