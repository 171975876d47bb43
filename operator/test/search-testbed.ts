import { createMemoryBus } from '@trellis/kit/bus'
import { assignmentsOf, inputsOf, type Report, runTopic, searchPlanRequests } from '@trellis/kit/workloads'
import type { PlanRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Search, type SearchSpecInput, searches, type WarmPool, warmPools } from '../src/crds/mod.ts'
import type { RunEventOf } from '../src/runs/mod.ts'
import { type Client, type Clock, isNotFound, keyOf, systemClock } from '../src/runtime/mod.ts'
import { searchKind } from '../src/search/mod.ts'
import { label, type Pod, pods } from '../src/workers/mod.ts'
import { type KindsPlane, untilIs } from './kinds-plane.ts'
import { recordLog } from './log-lines.ts'
import { operate, remember } from './operate.ts'
import { runEventsFor } from './run-events-for.ts'

/** Records every successful write as `verb plural`, status writes as `status plural`. */
const counting = (client: Client, writes: string[]): Client => ({
  ...client,
  create: async (resource, object, options) => {
    const made = await client.create(resource, object, options)
    writes.push(`create ${resource.plural}`)
    return made
  },
  patch: async (resource, ref, patch, options) => {
    const patched = await client.patch(resource, ref, patch, options)
    writes.push(`${options?.subresource ?? 'patch'} ${resource.plural}`)
    return patched
  },
  delete: async (resource, ref, options) => {
    await client.delete(resource, ref, options)
    writes.push(`delete ${resource.plural}`)
  },
})

/** The Search and WarmPool controllers in one namespace, on a real API server, with a bus on which a test plays workers and services. */
export const startSearchTestbed = async (plane: KindsPlane, { maxRuns = 10 } = {}) => {
  const { client } = plane
  const namespace = await plane.newNamespace()
  const bus = createMemoryBus()
  const ended = new AbortController()
  const planRequests: PlanRequest[] = []
  const { log, lines } = recordLog()
  const working = bus.work(searchPlanRequests, async ({ value }) => void planRequests.push(value), {
    signal: ended.signal,
  })
  let skipped = 0
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + skipped,
    monotonic: () => systemClock.monotonic() + skipped,
  }

  const startOperator = () => {
    const writes: string[] = []
    const { kind, added } = remember(searchKind())
    const options = { client: counting(client, writes), bus, log, namespace, clock }
    const running = operate({ ...options, maxRuns, maxQueued: 2, runTtlSeconds: 60 }, [kind])
    const { store, controller } = added()
    return {
      writes,
      metrics: running.metrics,
      rpc: running.workloads,
      store,
      filled: running.filled,
      look: (name: string) => controller.queue.add(keyOf({ name, namespace })),
      stop: running.stop,
    }
  }
  let operator = startOperator()
  await operator.filled()

  const get = (name: string) => client.get(searches, { name, namespace })
  const podsOf = async ({ metadata }: Search) =>
    (await client.list(pods, { namespace })).items.filter(({ metadata: { ownerReferences } }) =>
      ownerReferences?.some(({ uid }) => uid === metadata.uid),
    )
  const setPod = (pod: Pod, status: object) =>
    client.patch(pods, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })

  return {
    namespace,
    bus,
    planRequests,
    /** The log lines with a message. */
    lines,
    get,
    podsOf,
    rpc: () => operator.rpc,
    /** The metrics of the operator in the scrape format. */
    metrics: () => operator.metrics.render(),
    store: () => operator.store,
    writes: () => operator.writes.filter((write) => !write.endsWith(' events')),
    search: (name: string, spec: Partial<SearchSpecInput> = {}, labels: Record<string, string> = {}) =>
      client.create<Search>(searches, {
        metadata: { name, namespace, labels },
        spec: { query: 'thinkpad', ...spec } as Search['spec'],
      }),
    pool: (replicas: number) =>
      client.create<WarmPool>(warmPools, {
        metadata: { name: 'pool', namespace },
        spec: { workload: 'search', replicas } as WarmPool['spec'],
      }),
    poolPods: async () => (await client.list(pods, { namespace, labelSelector: label.pool })).items,
    change: (name: string, spec: Partial<SearchSpecInput>) =>
      client.patch(searches, { name, namespace }, { type: 'merge', body: { spec } }),
    remove: (name: string) => client.delete(searches, { name, namespace }),
    until: (name: string, isSo: (search: Search) => boolean, what: string) => untilIs(() => get(name), isSo, what),
    isGone: async (name: string) => {
      try {
        await get(name)
        return false
      } catch (error) {
        if (isNotFound(error)) return true
        throw error
      }
    },
    untilPod: async (search: Search, isSo: (pod: Pod) => boolean = () => true): Promise<Pod> => {
      const isNext = (found: readonly Pod[]) => found.find((pod) => isSo(pod))
      const found = await untilIs(
        async () => ({ metadata: search.metadata, items: await podsOf(search) }),
        ({ items }) => isNext(items) !== undefined,
        'there is a pod',
      )
      return isNext(found.items) as Pod
    },
    setPod,
    run: (pod: Pod) =>
      setPod(pod, {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          { name: 'worker', image: 'w', imageID: 'w', ready: true, restartCount: 0, state: { running: {} } },
        ],
      }),
    end: (pod: Pod, exitCode: number, reason: string) =>
      setPod(pod, {
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: [
          {
            name: 'worker',
            image: 'w',
            imageID: 'w',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode, reason } },
          },
        ],
      }),
    lose: (pod: Pod) => client.delete(pods, pod.metadata, { gracePeriodSeconds: 0 }),
    publish: async (runId: string, event: RunEventOf) => {
      await bus.enqueue(runEventsFor('search', event), { runId, event })
    },
    /** The first report of this case on the run's topic. */
    reported: async (runId: string, $case: Report['$case']): Promise<Report> => {
      for await (const delivery of bus.subscribe(runTopic.search(runId), { after: 'start', signal: ended.signal }))
        if (delivery.kind === 'event' && delivery.event.report?.$case === $case) return delivery.event.report
      throw new Error(`${$case} was never reported.`)
    },
    assigned: async (pod: Pod): Promise<string> => {
      for await (const delivery of bus.subscribe(assignmentsOf.search(pod.metadata.uid), {
        after: 'start',
        signal: ended.signal,
      }))
        if (delivery.kind === 'event') return delivery.event.runId
      throw new Error('Nothing was ever assigned.')
    },
    /** Resolves when the worker in a pod is notified that no run follows. */
    released: async (pod: Pod): Promise<void> => {
      const topic = assignmentsOf.search(pod.metadata.uid)
      for await (const delivery of bus.subscribe(topic, { after: 'start', signal: ended.signal }))
        if (delivery.kind === 'event' && delivery.event.ends) return
      throw new Error('The worker was never released.')
    },
    input: async (runId: string): Promise<string> => {
      for await (const delivery of bus.subscribe(inputsOf.search(runId), { after: 'start', signal: ended.signal }))
        if (delivery.kind === 'event') return Buffer.from(delivery.event.input).toString()
      throw new Error('No input was ever published.')
    },
    /** Advances the operator's clock and enqueues a Search. */
    skip: (milliseconds: number, name: string) => {
      skipped += milliseconds
      operator.look(name)
    },
    restart: async () => {
      await operator.stop()
      operator = startOperator()
      await operator.filled()
    },
    [Symbol.asyncDispose]: async () => {
      await operator.stop()
      ended.abort()
      await working
      await bus[Symbol.asyncDispose]()
    },
  }
}

export type SearchTestbed = Awaited<ReturnType<typeof startSearchTestbed>>
