import type { Pod } from '../workers/mod.ts'
import type { RunMemory } from './memory.ts'
import type { PodState } from './pod-state.ts'
import type { RunFacts } from './run-facts.ts'
import type { RunObject } from './run-object.ts'

/** What a kind finds of a run in the cluster: at least the worker that does it, or last did. */
export type FoundWorkers = {
  /** `isClaimed`: claimed from a pool instead of created for the run. */
  current?: { pod: Pod; state: PodState; isClaimed: boolean }
}

/** A run in one reconcile. */
export type Run<Object extends RunObject, Found extends FoundWorkers> = {
  object: Object
  runId: string
  memory: RunMemory
  found: Found
  facts: RunFacts
  signal: AbortSignal
}
