import type {
  CapacityResponse,
  GpuClass,
  RunRequest,
  Workload,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunStatus } from '../runs/mod.ts'
import type { Draft, KubeObject, Resource, Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'

/** An object of any kind that represents a run. */
export type RunObject = KubeObject & {
  /** Not every kind can be suspended; every run has a deadline. */
  spec: { suspend?: boolean; activeDeadlineSeconds: number }
  status: RunStatus & { sessionId?: string }
}

/** Maps the runs of a workload to objects: what the RPC server needs to know about a kind. */
export type WorkloadRuns<Run extends RunObject = RunObject> = {
  workload: Workload
  resource: Resource<Run>
  /** A cache with `runIndexes`. */
  store: Pick<Store<Run>, 'by'>
  /** Name of the object for a run. */
  nameOf: (runId: string) => string
  /** Builds the object for a requested run; undefined if the request lacks its subject. */
  draftOf: (request: RunRequest) => Draft<Run> | undefined
  /** The pods of a run's object. */
  podsOf: (object: KubeObject) => readonly Pod[]
  /** Maximum number of runs with workers at the same time. */
  total: number
}

/** Reports the machines that runs use, as far as known. */
export type Machines = { read: () => Pick<CapacityResponse, 'classes' | 'reasons'> }

/** For installations without GPU counting. */
export const noMachines: Machines = { read: () => ({ classes: [] as GpuClass[], reasons: [] }) }
