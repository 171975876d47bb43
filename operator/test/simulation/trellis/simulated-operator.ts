import { connectInProcess } from '@trellis/kit/rpc'
import { createLog, createMetrics } from '@trellis/kit/telemetry'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { generationKind } from '../../../src/generation-job/mod.ts'
import { createOperator, type OperatorKind } from '../../../src/operator.ts'
import type { Client } from '../../../src/runtime/mod.ts'
import { searchKind } from '../../../src/search/mod.ts'
import { pods as podKind, type WorkerTemplate } from '../../../src/workers/mod.ts'
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

export type OperatorsOptions = {
  /** Whether pods are claimed without the resourceVersion at which they were read. */
  isCareless?: boolean
  /** The kinds that they reconcile; by default all without Branches. */
  kinds?: readonly OperatorKind[]
}

/** Replicas of the operator in a simulation. */
export const createOperators = (
  simulation: Simulation,
  bus: SimulatedBus,
  { isCareless = false, kinds = [searchKind(), generationKind()] }: OperatorsOptions = {},
): Operators => {
  const faults: string[] = []
  const serving: Replica[] = []
  let started = 0
  const write = (line: string) => {
    if (mistakes.test(line) && faults.length < 5) faults.push(line)
    return true
  }
  const log = createLog({ level: 'warn', format: 'json', destination: { write } })

  const compose = (identity: string, surroundings: Surroundings, process: SimulatedProcess) => {
    const { clock, random, metrics: runtimeMetrics } = surroundings
    const client = isCareless ? withoutVersions(surroundings.client) : surroundings.client
    const { manager, attend, workloads } = createOperator(
      {
        client,
        bus: bus.connect(process),
        log,
        metrics: createMetrics({ processMetrics: false }),
        runtimeMetrics,
        namespaces: [namespace],
        clock,
        random,
        election: { client, identity },
        freeze: true,
      },
      { instance, namespace, templates, maxRuns, maxQueued, runTtlSeconds },
      kinds,
    )
    return { manager, attend, workloads: connectInProcess(WorkloadsServiceDefinition, workloads) }
  }

  const start = (): SimulatedProcess => {
    started += 1
    const name = `operator-${started}`
    return simulation.spawn(name, (surroundings, process) => {
      const { manager, attend, workloads } = compose(name, surroundings, process)
      const stop = new AbortController()
      void attend(stop.signal)
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
