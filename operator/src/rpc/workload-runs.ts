import type {
  CapacityResponse,
  GpuClass,
  RunRequest,
  Workload,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunStatus } from '../runs/mod.ts'
import type { Draft, KubeObject, Resource, Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'

/** An object that is a run, of whichever kind. */
export type RunObject = KubeObject & {
  /** Not every kind can be suspended; every run has a deadline. */
  spec: { suspend?: boolean; activeDeadlineSeconds: number }
  status: RunStatus & { sessionId?: string }
}

/** How the runs of a workload are objects: what the calls of services need to know of a kind. */
export type WorkloadRuns<Run extends RunObject = RunObject> = {
  workload: Workload
  resource: Resource<Run>
  /** With `runIndexes`. */
  store: Pick<Store<Run>, 'by'>
  /** Name of the object that is made for a run. */
  nameOf: (runId: string) => string
  /** The object for a run that a service asks for; undefined where the request does not say what it is about. */
  draftOf: (request: RunRequest) => Draft<Run> | undefined
  /** The pods of a run's object. */
  podsOf: (object: KubeObject) => readonly Pod[]
  /** Runs that may have workers at a time. */
  total: number
}

/** What is told of the machines that runs are done on, where anything is known. */
export type Machines = { read: () => Pick<CapacityResponse, 'classes' | 'reasons'> }

/** Where nobody counts GPUs. */
export const noMachines: Machines = { read: () => ({ classes: [] as GpuClass[], reasons: [] }) }
