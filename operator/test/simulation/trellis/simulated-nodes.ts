import { isLive, podStateOf } from '../../../src/runs/mod.ts'
import { isBeingDeleted, keyOf, type ObjectRef } from '../../../src/runtime/mod.ts'
import { type Pod, pods } from '../../../src/workers/mod.ts'
import type { SimulatedProcess, Simulation } from '../mod.ts'
import { createSimulatedProcess } from '../simulated-process.ts'
import { missingGpus } from './simulated-gpus.ts'

/** Faults of nodes and workers. Probabilities are per pod. */
export type NodeFaults = {
  /** Milliseconds until a pod is ready. */
  start: readonly [number, number]
  /** The pod is unschedulable for a while. */
  unschedulable: number
  /** The pod ends at a random time without a report: a crash, the OOM killer, an eviction, a node drain. */
  crashed: number
  outOfMemory: number
  evicted: number
  drained: number
}

export const calmNodes: NodeFaults = {
  start: [200, 1_500],
  unschedulable: 0,
  crashed: 0,
  outOfMemory: 0,
  evicted: 0,
  drained: 0,
}
export const stormyNodes: NodeFaults = {
  start: [50, 8_000],
  unschedulable: 0.1,
  crashed: 0.06,
  outOfMemory: 0.02,
  evicted: 0.04,
  drained: 0.04,
}

/** How a worker's process ended. */
export type Exit = { code: number; reason?: string }

/** The program of a pod. It gets its process and an exit function, and starts its work. */
export type WorkerProgram = (pod: Pod, process: SimulatedProcess, exit: (how: Exit) => void) => void

/** Milliseconds within which a fault of a pod occurs. */
const troubleWithin = 30_000

/** Milliseconds after which scheduling an unschedulable pod is retried. */
const scheduledAgain = 5_000

/** Milliseconds for which a worker may still work after SIGTERM; its pod ends after a second at the earliest. */
const lastWork = 900

/** The exit of a worker after SIGTERM. */
const isDraining: Exit = { code: 143 }

const finished = (phase: 'Succeeded' | 'Failed', { code, reason = 'Error' }: Exit, at: number): Pod['status'] => ({
  phase,
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    {
      name: 'worker',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: code, reason, finishedAt: new Date(at).toISOString() } },
    },
  ],
})

/** Simulates the scheduler and the kubelets: runs pods and applies the faults to them. */
export const runNodes = (simulation: Simulation, program: WorkerProgram): { weather: (faults: NodeFaults) => void } => {
  const { clock, random, storage } = simulation
  const processes = new Map<string, SimulatedProcess>()
  /** Uids of terminating pods. */
  const ending = new Set<string>()
  let faults = calmNodes

  const present = (ref: ObjectRef, uid: string): Pod | undefined => {
    const found = storage.list(pods).find(({ metadata }) => keyOf(metadata) === keyOf(ref))
    return found?.metadata.uid === uid ? found : undefined
  }

  /** The pod with this uid, if it still exists and is not being deleted. */
  const find = (ref: ObjectRef, uid: string): Pod | undefined => {
    const found = present(ref, uid)
    return found && !isBeingDeleted(found) ? found : undefined
  }

  const write = (ref: ObjectRef, status: Pod['status']) =>
    storage.patch(pods, ref, { type: 'merge', body: { status } }, { subresource: 'status' })

  const setStatus = (ref: ObjectRef, uid: string, status: Pod['status']) => {
    if (find(ref, uid)) write(ref, status)
  }

  const stop = (uid: string) => {
    processes.get(uid)?.kill()
    processes.delete(uid)
  }

  const end = ({ metadata }: Pod, how: Exit) => {
    if (!processes.has(metadata.uid)) return
    stop(metadata.uid)
    setStatus(metadata, metadata.uid, finished(how.code === 0 ? 'Succeeded' : 'Failed', how, clock.now()))
  }

  const trouble = (pod: Pod) => {
    const { metadata } = pod
    const at = (something: () => void) => void clock.after(random.between(0, troubleWithin), something)
    if (random.chance(faults.crashed)) at(() => end(pod, { code: 1 }))
    else if (random.chance(faults.outOfMemory)) at(() => end(pod, { code: 137, reason: 'OOMKilled' }))
    else if (random.chance(faults.evicted))
      at(() => {
        if (!processes.has(metadata.uid)) return
        stop(metadata.uid)
        setStatus(metadata, metadata.uid, {
          phase: 'Failed',
          reason: 'Evicted',
          message: 'The node was low on memory.',
          conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
        })
      })
    else if (random.chance(faults.drained))
      at(() => {
        if (find(metadata, metadata.uid)) storage.delete(pods, metadata)
      })
  }

  const start = (pod: Pod) => {
    const { metadata } = pod
    if (!find(metadata, metadata.uid)) return
    const process = createSimulatedProcess(metadata.name, clock)
    processes.set(metadata.uid, process)
    setStatus(metadata, metadata.uid, {
      phase: 'Running',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'True' },
      ],
      containerStatuses: [{ name: 'worker', ready: true, restartCount: 0, state: { running: {} } }],
    })
    trouble(pod)
    program(pod, process, (how) => end(pod, how))
  }

  const refuse = ({ metadata }: Pod, missing: string) => {
    const message = `0/1 nodes are available: 1 Insufficient ${missing}.`
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const
    setStatus(metadata, metadata.uid, { phase: 'Pending', conditions: [scheduled] })
  }

  const place = (pod: Pod) => {
    if (!find(pod.metadata, pod.metadata.uid)) return
    const missing = missingGpus(storage, pod)
    if (missing) {
      refuse(pod, missing)
      clock.after(scheduledAgain, () => place(pod))
    } else clock.after(random.between(...faults.start), () => start(pod))
  }

  const schedule = (pod: Pod) => {
    if (!random.chance(faults.unschedulable)) return place(pod)
    clock.after(100, () => refuse(pod, 'cpu'))
    clock.after(random.between(1_000, 30_000), () => place(pod))
  }

  /** Stops a terminating worker and writes its final status, unless its node does not get to it. Pods of a Job always get it. */
  const terminate = ({ metadata }: Pod) => {
    if (ending.has(metadata.uid)) return
    ending.add(metadata.uid)
    const isSilent = !metadata.finalizers?.length && random.chance(0.3)
    clock.after(random.between(0, lastWork), () => {
      stop(metadata.uid)
      const pod = present(metadata, metadata.uid)
      if (pod && !isSilent && isLive(podStateOf(pod))) write(metadata, finished('Failed', isDraining, clock.now()))
    })
  }

  storage.onCommit(({ type, resource, object }) => {
    if (resource.plural !== pods.plural) return
    if (type === 'ADDED') clock.after(0, () => schedule(object as Pod))
    else if (type === 'DELETED') stop(object.metadata.uid)
    else if (isBeingDeleted(object)) terminate(object as Pod)
  })

  return {
    weather: (next) => {
      faults = next
    },
  }
}
