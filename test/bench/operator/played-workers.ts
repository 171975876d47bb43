import type { Bus } from '@trellis/kit/bus'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { type Report, runTopic } from '@trellis/kit/workloads'
import { type Search, searches } from '@trellis/operator/crds'
import {
  type Client,
  type Clock,
  createManager,
  createRuntimeMetrics,
  isNotFound,
  type Store,
  systemClock,
} from '@trellis/operator/runtime'
import { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunEventOf } from '../../../operator/src/runs/mod.ts'
import { label, type Pod, pods } from '../../../operator/src/workers/mod.ts'
import { runEventsFor } from '../../../operator/test/run-events-for.ts'
import { planRequests } from './played-service.ts'

/** Milliseconds that a run takes in its worker, and then in its service. */
const times = { work: 500, write: 50 }

/** The minimum duration of a run, from these times. */
export const playedMilliseconds = times.work + times.write

/** The conclusion of a successful search, without results. */
const emptyConclusion = RunConcluded.fromPartial({})

export type Played = AsyncDisposable & {
  /** The Searches of the namespace, as the watch reports them. */
  searches: Store<Search>
  pods: Store<Pod>
  /** Rejects if a worker's part fails, after which other waits may never end. */
  failure: Promise<never>
}

/**
 * Plays the missing parts of an installation with fake pods: the service that answers plan requests, and workers, which report
 * their start, work for a while and end, after which the service reports the conclusion. All at the speed of the bus.
 */
export const playWorkers = async (
  { client, bus, namespace }: { client: Client; bus: Bus; namespace: string },
  operator: () => { address: string },
  clock: Clock = systemClock,
): Promise<Played> => {
  const stop = new AbortController()
  const manager = createManager({
    name: 'bench',
    client,
    log: silentLog,
    metrics: createRuntimeMetrics(createMetrics({ processMetrics: false })),
    namespaces: [namespace],
  })
  const searchStore = manager.cache(searches)
  const podStore = manager.cache(pods)
  const planned = new Map<string, PromiseWithResolvers<void>>()
  const planOf = (runId: string) => {
    const held = planned.get(runId) ?? Promise.withResolvers<void>()
    planned.set(runId, held)
    return held
  }

  const send = async (runId: string, report: Report | undefined, event: RunEventOf) => {
    if (report) await bus.publish(runTopic.search(runId), { runId, report })
    await bus.enqueue(runEventsFor('search', event), { runId, event })
  }

  /** Writes the final status of a pod, since a fake container does not end by itself. */
  const endPod = async (pod: Pod) => {
    const terminated = { exitCode: 0, reason: 'Completed', finishedAt: new Date(clock.now()).toISOString() }
    const container = { name: 'worker', image: 'fake', imageID: '', ready: false, restartCount: 0 }
    const status = { phase: 'Succeeded', containerStatuses: [{ ...container, state: { terminated } }] }
    await client.patch(pods, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })
  }

  const perform = async (pod: Pod, runId: string) => {
    await planOf(runId).promise
    const started = { $case: 'started', value: { worker: pod.metadata.name, warm: false } } as const
    await send(runId, started, started)
    await clock.sleep(times.work, stop.signal)
    const completed = { $case: 'completed', value: { result: new Uint8Array() } } as const
    await send(runId, completed, { $case: 'worked', value: {} })
    await clock.sleep(times.write, stop.signal)
    await send(runId, undefined, { $case: 'concluded', value: { ...emptyConclusion, listingsFound: 12 } })
    planned.delete(runId)
    await endPod(pod)
  }

  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const busy = new Set<string>()
  podStore.onChange(({ type, object }) => {
    const runId = object.metadata.labels?.[label.runId]
    const { uid } = object.metadata
    if (type === 'deleted') busy.delete(uid)
    else if (runId !== undefined && object.status?.phase === 'Running' && !busy.has(uid)) {
      busy.add(uid)
      perform(object, runId).catch((error: unknown) => {
        if (!stop.signal.aborted && !isNotFound(error)) failed.reject(error)
      })
    }
  })
  const service = {
    bus,
    operator: () => operator().address,
    input: Buffer.from('{}'),
    onPlanned: (runId: string) => planOf(runId).resolve(),
  }
  manager.whileLeading((signal) => planRequests(service, signal))
  const running = manager.run(stop.signal)
  await manager.filled()
  return {
    searches: searchStore,
    pods: podStore,
    failure: failed.promise,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}
