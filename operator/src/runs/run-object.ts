import type { RunRequest, Workload } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Draft, KubeObject, Resource, Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import type { RunStatus } from './run-status.ts'

/** An object of any kind that represents a run. */
export type RunObject = KubeObject & {
  /** Not every kind can be suspended; every run has a deadline, and is removed some time after its end. */
  spec: { suspend?: boolean; activeDeadlineSeconds: number; ttlSecondsAfterFinished: number }
  status: RunStatus & { sessionId?: string }
}

/** Maps the runs of a workload to objects: what the RPC server needs to know about a kind. */
export type WorkloadRuns<Object extends RunObject = RunObject> = {
  workload: Workload
  resource: Resource<Object>
  /** A cache with `runIndexes`. */
  store: Pick<Store<Object>, 'by'>
  /** Name of the object for a run. */
  nameOf: (runId: string) => string
  /** Builds the object for a requested run; undefined if the request lacks its subject. */
  draftOf: (request: RunRequest) => Draft<Object> | undefined
  /** The pods of a run's object. */
  podsOf: (object: KubeObject) => readonly Pod[]
  /** Maximum number of runs with workers at the same time. */
  total: number
}
