import type { Log } from '@trellis/kit/telemetry'
import type { GpuCapacity } from '../capacity/mod.ts'
import type { CacheOptions, Client, Clock, KubeObject, Manager, Recorder, Resource, Store } from '../runtime/mod.ts'
import type { Pod, WorkerTemplate, Workload } from '../workers/mod.ts'
import type { Claims } from './claims.ts'
import type { RunMemories } from './memory.ts'
import type { Reporter, Reporters } from './reporter.ts'
import type { RunEvents } from './run-events.ts'
import type { RunMetrics } from './run-metrics.ts'
import type { RunObject } from './run-object.ts'

/** What the kinds of runs of an operator have in common. */
type Shared = {
  pods: Store<Pod>
  claims: Claims
  events: RunEvents
  clock: Clock
  log: Log
  runMetrics: RunMetrics
  /** Name of the installation. */
  instance: string
  /** Maximum number of runs of a kind that have a worker at the same time. */
  maxRuns: number
  /** The GPUs of the nodes. */
  gpus: Pick<GpuCapacity, 'offers'>
}

/** What an operator provides to each of its kinds of runs. */
export type RunSurroundings = Shared & {
  manager: Pick<Manager, 'client' | 'recorder' | 'controller' | 'whileLeading'>
  /** Declares a cache of the namespaces that the operator watches. */
  cache: <T extends KubeObject>(resource: Resource<T>, options?: CacheOptions<T>) => Store<T>
  reporters: Reporters
  templates: Readonly<Record<Workload, WorkerTemplate>>
  /** Namespace of the objects that services request, and the seconds that these stay after they end. */
  namespace: string
  runTtlSeconds: number
}

/** Dependencies of the controller of one kind of run. */
export type RunParts<Object extends RunObject> = Shared & {
  client: Client
  recorder: Recorder
  /** The objects, with `runIndexes`. */
  store: Store<Object>
  memories: RunMemories
  reporter: Reporter
  /** Template of workers for runs that claim none from a pool. */
  template: WorkerTemplate
}
