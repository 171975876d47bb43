import type { Bus } from '@trellis/kit/bus'
import { type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import type { HealthServerOptions, Log, Metrics } from '@trellis/kit/telemetry'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { BranchSurroundings } from './branch/mod.ts'
import { createGpuCapacity } from './capacity/mod.ts'
import { warmPools } from './crds/mod.ts'
import { workloadsRpc } from './rpc/workloads.ts'
import {
  createReporters,
  createRunEvents,
  createRunMetrics,
  type RunSurroundings,
  type WorkloadRuns,
} from './runs/mod.ts'
import {
  type Client,
  type Clock,
  createManager,
  type Manager,
  type Random,
  type RuntimeMetrics,
  systemClock,
} from './runtime/mod.ts'
import { createWarmPools, poolIndexes } from './warm-pool/mod.ts'
import { podCache, pods as podKind, type WorkerTemplates } from './workers/mod.ts'

/** What an operator runs on. Production, the simulation and tests on a real API server differ only in this. */
export type OperatorSurroundings = {
  client: Client
  bus: Bus
  log: Log
  metrics: Metrics
  /** Shared with the clients, which count their requests in it. */
  runtimeMetrics: RuntimeMetrics
  namespaces: readonly string[]
  clock?: Clock
  random?: Random
  /** Without it this process always leads. */
  election?: Election
  /** Address of the health server; none by default. */
  health?: Pick<HealthServerOptions, 'host' | 'port' | 'hosts'>
  /** Milliseconds that running reconciles have to finish during shutdown. */
  drain?: number
  /** Freezes cached objects, so that tests notice code that changes them. */
  freeze?: boolean
}

/** Leader election. Its client has its own connections, so that lease renewals never wait for other requests. */
type Election = { client: Client; identity?: string }

export type OperatorSettings = {
  /** Name of the installation. */
  instance: string
  /** Namespace of the operator, of its Lease and of the objects that services request. */
  namespace: string
  templates: Pick<WorkerTemplates, 'search' | 'generation'>
  /** Maximum number of runs of a kind with workers at the same time, and of queued runs of a kind. */
  maxRuns: number
  maxQueued: number
  /** Seconds that objects of runs requested by services stay after they end. */
  runTtlSeconds: number
  /** Labels of the operator's own pods, whose GPUs are not counted as taken by others. */
  ownLabels?: Readonly<Record<string, string>>
}

/** What an operator provides to its kinds. */
export type KindSurroundings = RunSurroundings & BranchSurroundings

/** A kind of objects that an operator reconciles. The call adds its caches and its controller. */
export type OperatorKind = (surroundings: KindSurroundings) => {
  /** How services request its objects as runs. */
  runs?: WorkloadRuns
  /** An rpc of its own. */
  implementation?: Implementation
}

/** The name of the operator, of its Lease and of the reporter of its events. */
const name = 'trellis-operator'

export type Operator = {
  manager: Manager
  /** The RPC handlers of runs for services; any replica responds once its caches are filled. */
  workloads: Handlers<typeof WorkloadsServiceDefinition>
  /** All RPC implementations. */
  implementations: readonly Implementation[]
  /** Work that every replica does until the signal. */
  attend: (signal: AbortSignal) => Promise<void>
}

/** Composes the operator: one manager, the warm pools, the controllers of the kinds, and the RPC implementations. */
export const createOperator = (
  surroundings: OperatorSurroundings,
  settings: OperatorSettings,
  kinds: readonly OperatorKind[],
): Operator => {
  const { client, bus, log, metrics, runtimeMetrics, namespaces, election, health, drain } = surroundings
  const { clock = systemClock, random = Math.random, freeze = false } = surroundings
  const { instance, namespace, templates, maxRuns, maxQueued, runTtlSeconds, ownLabels = {} } = settings
  const manager = createManager({
    name,
    client,
    log,
    metrics: runtimeMetrics,
    namespaces,
    clock,
    random,
    ...(election && { election: { ...election, namespace, name } }),
    ...(health && { health }),
    ...(drain === undefined ? {} : { drain }),
  })
  const cache: Manager['cache'] = (resource, options) => manager.cache(resource, { ...options, freeze })
  const pods = cache(podKind, podCache({ instance, indexes: poolIndexes }))
  const shared = { client: manager.client, recorder: manager.recorder, pods, clock, log, instance }

  const pools = createWarmPools({ ...shared, pools: cache(warmPools), templates, metrics })
  pools.watch(manager.controller({ name: 'warmpool', reconcile: pools.reconcile }))

  const gpus = createGpuCapacity({
    client,
    clock,
    random,
    log,
    metrics: runtimeMetrics,
    namespaces,
    ownLabels,
    tolerations: templates.generation.tolerations ?? [],
  })
  const events = createRunEvents({ bus, clock, log })
  const reporters = createReporters(bus)
  manager.whileLeading((signal) => events.work(signal))

  const kindSurroundings = {
    ...{ manager: { ...manager, cache }, client, bus, clock, log, pods, instance, namespace },
    ...{ cache, claims: pools.claims, events, reporters, runMetrics: createRunMetrics(metrics), gpus },
    ...{ templates, maxRuns, runTtlSeconds },
  }
  const added = kinds.map((kind) => kind(kindSurroundings))
  const runs = added.flatMap((kind) => kind.runs ?? [])
  const workloads = workloadsRpc({ client, bus, reporters, runs, machines: gpus, namespace, maxQueued, clock, log })
  return {
    manager,
    workloads,
    implementations: [
      implementation(WorkloadsServiceDefinition, workloads),
      ...added.flatMap((kind) => kind.implementation ?? []),
    ],
    attend: (signal) => gpus.run(signal),
  }
}
