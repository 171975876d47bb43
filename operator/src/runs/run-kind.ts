import { runKindOf } from '@trellis/kit/workloads'
import type { RunRequest, Workload as WorkloadName } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Controller, type Draft, type KubeObject, type Store, toSelf, whenChanged } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { attendRuns } from './attend.ts'
import { createRunMemories } from './memory.ts'
import type { RunParts, RunSurroundings } from './parts.ts'
import { type ReconcileRunOptions, type RunWorkers, reconcileRun } from './reconcile-run.ts'
import type { FoundWorkers } from './run.ts'
import type { RunEventOf } from './run-facts.ts'
import { runIndexes } from './run-id.ts'
import type { RunObject, WorkloadRuns } from './run-object.ts'
import { createRunSteps, type RunReporting, type RunSteps } from './steps.ts'

/** The workers of a kind, and how changes of what they consist of reach its controller. */
export type KindWorkers<Object extends RunObject, Found extends FoundWorkers> = RunWorkers<Object, Found> & {
  /** Adds the watches besides that of the objects. */
  watch: (controller: Pick<Controller, 'watch'>) => void
  /** The pods of an object. */
  podsOf: (object: KubeObject) => readonly Pod[]
  /** Drops the state of a deleted object. */
  onDeleted?: (object: Object) => void
}

/** A kind of objects that represent runs: everything in which it differs from the others. */
export type RunKindDefinition<Object extends RunObject, Found extends FoundWorkers> = RunReporting<Object, Found> &
  Pick<ReconcileRunOptions<Object, Found>, 'cleared'> & {
    /** The workload as services name it. */
    workloadName: WorkloadName
    /** Name of the controller, in metrics and logs. */
    name: string
    /** Objects reconciled concurrently: reconciles mostly wait for the API server and the bus. */
    concurrency: number
    /** Events that its runs do not depend on; none by default. */
    ignored?: ReadonlySet<RunEventOf['$case']>
    /** Name of the object for a run that a service requests; deterministic, so repeated requests create it once. */
    nameOf: (runId: string) => string
    /** Builds that object, which stays for `ttlSeconds` after its end; undefined if the request lacks its subject. */
    draftOf: (request: RunRequest, options: { namespace: string; ttlSeconds: number }) => Draft<Object> | undefined
    /** Creates the part of the controller that obtains workers. `wake` enqueues the key of an object. */
    createWorkers: (
      parts: RunParts<Object>,
      steps: RunSteps<Object, Found>,
      surroundings: Pick<RunSurroundings, 'cache'> & { wake: (key: string) => void },
    ) => KindWorkers<Object, Found>
  }

/** A kind of run in an operator: its controller, its cache, and what the RPC server needs to know about it. */
export type AddedRunKind<Object extends RunObject = RunObject> = {
  controller: Controller
  store: Store<Object>
  runs: WorkloadRuns<Object>
}

/**
 * What others write of an object. Only the leader writes its status, in reconciles, which already act on what they
 * write.
 */
const desiredBy = ({ metadata }: KubeObject) => {
  const { uid, generation, labels, annotations, deletionTimestamp } = metadata
  return [uid, generation, labels, annotations, deletionTimestamp]
}

/** Defines a kind of run; the result adds its cache and its controller to an operator. */
export const defineRunKind =
  <Object extends RunObject, Found extends FoundWorkers>(definition: RunKindDefinition<Object, Found>) =>
  (surroundings: RunSurroundings): AddedRunKind<Object> => {
    const { workload, workloadName, resource, name, concurrency, ignored, cleared, nameOf, draftOf } = definition
    const { manager, cache, reporters, templates, clock, namespace, runTtlSeconds, maxRuns } = surroundings
    const store = cache(resource, { indexes: runIndexes })
    const memories = createRunMemories(clock)
    const parts: RunParts<Object> = {
      ...surroundings,
      client: manager.client,
      recorder: manager.recorder,
      store,
      memories,
      reporter: reporters[runKindOf(workloadName)],
      template: templates[workload],
    }
    const steps = createRunSteps(parts, definition)
    const wake = (key: string) => controller.queue.add(key)
    const workers = definition.createWorkers(parts, steps, { cache, wake })
    const reconcile = reconcileRun({ parts, steps, workers, reporting: definition, ...(cleared && { cleared }) })
    const controller: Controller = manager.controller({ name, workers: concurrency, reconcile })
    controller.watch(store, whenChanged(desiredBy, toSelf))
    workers.watch(controller)
    const onDeleted = (object: Object) => {
      memories.drop(object.metadata.uid)
      workers.freeSlot?.(object)
      workers.onDeleted?.(object)
    }
    attendRuns(manager, controller, { ...parts, kind: workload, ignored, resource, onDeleted })
    const draftOptions = { namespace, ttlSeconds: runTtlSeconds }
    return {
      controller,
      store,
      runs: {
        workload: workloadName,
        resource,
        store,
        nameOf,
        draftOf: (request) => draftOf(request, draftOptions),
        podsOf: workers.podsOf,
        total: maxRuns,
      },
    }
  }
