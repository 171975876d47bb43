import { connectInProcess } from '@trellis/kit/rpc'
import { createLog, createMetrics } from '@trellis/kit/telemetry'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { createGpuCapacity } from '../../../src/capacity/mod.ts'
import { warmPools } from '../../../src/crds/mod.ts'
import { addGenerationController, cacheGenerations, generationRuns } from '../../../src/generation-job/mod.ts'
import { workloadsRpc } from '../../../src/rpc/workloads.ts'
import { createReporters, createRunEvents } from '../../../src/runs/mod.ts'
import { type Client, createManager } from '../../../src/runtime/mod.ts'
import { addSearchController, cacheSearches, searchRuns } from '../../../src/search/mod.ts'
import { createWarmPools, poolIndexes } from '../../../src/warm-pool/mod.ts'
import { podCache, pods as podKind, type WorkerTemplate } from '../../../src/workers/mod.ts'
import type { SimulatedProcess, Simulation, Surroundings } from '../mod.ts'
import type { SimulatedBus } from './simulated-bus.ts'
import type { Replica } from './simulated-rpc.ts'

const template: WorkerTemplate = { image: 'trellis:1', command: ['worker'] }
const templates = { search: template, generation: template }
const instance = 'simulated'

const namespace = 'default'

/** Maximum runs of a kind with workers at a time, and maximum queued runs. */
export const maxRuns = 3
const maxQueued = 100

/** Seconds for which the objects of runs requested by services are retained. */
const runTtlSeconds = 30

/** Log lines of the operator that indicate a programming error. */
const mistakes = /a handler threw|TypeError|ReferenceError|RangeError|read only property|not extensible/

/** A client that patches pods without a resourceVersion precondition, which claims must not do. */
const withoutVersions = (client: Client): Client => ({
  ...client,
  patch: (resource, ref, patch, options) => {
    if (resource.plural !== podKind.plural) return client.patch(resource, ref, patch, options)
    const { metadata, ...rest } = patch.body as { metadata?: object }
    const body = { ...rest, metadata: { ...metadata, resourceVersion: undefined } }
    return client.patch(resource, ref, { type: 'merge', body }, options)
  },
})

export type Operators = {
  /** Starts a replica. It ends when it loses the lease, and is replaced as by its Deployment. */
  start: () => SimulatedProcess
  /** Number of replicas started so far. */
  count: () => number
  /** The replicas that take calls. */
  serving: () => readonly Replica[]
  /** Log lines that indicate a programming error. */
  faults: readonly string[]
}

/** Composes the operator like its main does, without branches: everything that takes part in runs and pools. */
export const createOperators = (
  simulation: Simulation,
  bus: SimulatedBus,
  { isCareless = false }: { isCareless?: boolean } = {},
): Operators => {
  const faults: string[] = []
  const serving: Replica[] = []
  let started = 0
  const write = (line: string) => {
    if (mistakes.test(line) && faults.length < 5) faults.push(line)
    return true
  }
  const log = createLog({ level: 'warn', format: 'json', destination: { write } })

  const compose = (name: string, surroundings: Surroundings, process: SimulatedProcess) => {
    const { clock, random } = surroundings
    const client = isCareless ? withoutVersions(surroundings.client) : surroundings.client
    const metrics = createMetrics({ processMetrics: false })
    const manager = createManager({
      ...surroundings,
      client,
      name: 'trellis-operator',
      log,
      election: { client, namespace, name: 'trellis-operator', identity: name },
    })
    const pods = manager.cache(podKind, { ...podCache({ instance, indexes: poolIndexes }), freeze: true })
    const connected = bus.connect(process)
    const events = createRunEvents({ bus: connected, clock, log })
    const reporters = createReporters(connected)
    const shared = { client: manager.client, recorder: manager.recorder, pods, clock, log, instance }
    const pools = manager.cache(warmPools, { freeze: true })
    const { claims, reconcile, watch } = createWarmPools({ ...shared, pools, templates, metrics })
    watch(manager.controller({ name: 'warmpool', reconcile }))
    const gpus = createGpuCapacity({
      client,
      clock,
      random,
      log,
      metrics: surroundings.metrics,
      namespaces: [namespace],
      ownLabels: {},
    })
    const runs = { ...shared, claims, events, maxRuns, template }
    const searches = cacheSearches(manager)
    addSearchController(manager, { ...runs, reporter: reporters.search, searches })
    const generations = cacheGenerations(manager, { instance, pods })
    addGenerationController(manager, { ...runs, reporter: reporters.generation, ...generations, gpus })
    manager.whileLeading((signal) => events.work(signal))
    const overrides = { total: maxRuns, namespace, ttlSeconds: runTtlSeconds }
    const handlers = workloadsRpc({
      client,
      bus: connected,
      reporters,
      runs: [searchRuns({ searches, pods, ...overrides }), generationRuns({ stores: generations, ...overrides })],
      machines: gpus,
      namespace,
      maxQueued,
      clock,
      log,
    })
    return { manager, gpus, workloads: connectInProcess(WorkloadsServiceDefinition, handlers) }
  }

  const start = (): SimulatedProcess => {
    started += 1
    const name = `operator-${started}`
    return simulation.spawn(name, (surroundings, process) => {
      const { manager, gpus, workloads } = compose(name, surroundings, process)
      const stop = new AbortController()
      void gpus.run(stop.signal)
      void manager.filled().then(() => serving.push({ process, workloads }))
      manager.run(stop.signal).catch(() => {
        process.kill()
        simulation.clock.after(surroundings.random() * 3_000, start)
      })
    })
  }
  return {
    start,
    count: () => started,
    serving: () => serving.filter(({ process }) => !process.isDead()),
    faults,
  }
}
