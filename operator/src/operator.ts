import type { Bus } from '@trellis/kit/bus'
import { type Implementation, implementation } from '@trellis/kit/rpc'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { addBranchController, cacheBranches, handleBranchEvents } from './branch/mod.ts'
import { createGpuCapacity } from './capacity/mod.ts'
import type { OperatorConfig } from './config.ts'
import { warmPools } from './crds/mod.ts'
import { addGenerationController, cacheGenerations, generationRuns } from './generation-job/mod.ts'
import { branchesRpc } from './rpc/branches.ts'
import { workloadsRpc } from './rpc/workloads.ts'
import { createReporters, createRunEvents, createRunMetrics } from './runs/mod.ts'
import { type Client, createManager, type Manager, type RuntimeMetrics, systemClock } from './runtime/mod.ts'
import { addSearchController, cacheSearches, searchRuns } from './search/mod.ts'
import { createWarmPools, poolIndexes } from './warm-pool/mod.ts'
import { label, podCache, pods as podKind, type WorkerTemplates } from './workers/mod.ts'

export type OperatorOptions = {
  config: Pick<OperatorConfig, 'own' | 'base' | 'namespaces'>
  templates: WorkerTemplates
  client: Client
  /** A client with its own connections, so that lease renewals never wait for other requests. */
  leaseClient: Client
  bus: Bus
  log: Log
  metrics: Metrics
  /** Shared with the clients, which count their requests in it. */
  runtimeMetrics: RuntimeMetrics
}

/** The Lease that elects the leader. */
const leaseName = 'trellis-operator'

export type Operator = {
  manager: Manager
  /** RPC implementations for services; any replica responds once its caches are filled. */
  implementations: readonly Implementation[]
  /** Work that every replica does until the signal. */
  attend: (signal: AbortSignal) => Promise<void>
}

/** Creates all controllers on one manager, and the RPC implementations. */
export const createOperator = (options: OperatorOptions): Operator => {
  const { config, templates, client, leaseClient, bus, log, metrics, runtimeMetrics } = options
  const { instance, namespace, edgeUrl, maxRuns, maxQueued, branchStorageClass, healthPort, shutdownSeconds } =
    config.own
  const clock = systemClock
  const manager = createManager({
    name: 'trellis-operator',
    client,
    log,
    metrics: runtimeMetrics,
    namespaces: config.namespaces,
    election: { client: leaseClient, namespace, name: leaseName },
    health: { host: config.base.host, port: healthPort },
    drain: shutdownSeconds * 1_000,
  })
  const pods = manager.cache(podKind, podCache({ instance, indexes: poolIndexes }))
  const events = createRunEvents({ bus, clock, log })
  const reporters = createReporters(bus)
  const shared = { client: manager.client, recorder: manager.recorder, pods, clock, log, instance }

  const pools = createWarmPools({ ...shared, pools: manager.cache(warmPools), templates, metrics })
  pools.watch(manager.controller({ name: 'warmpool', reconcile: pools.reconcile }))

  const gpus = createGpuCapacity({
    client,
    clock,
    random: Math.random,
    log,
    metrics: runtimeMetrics,
    namespaces: config.namespaces,
    ownLabels: { [label.partOf]: 'trellis', [label.instance]: instance },
    tolerations: templates.generation.tolerations ?? [],
  })
  const runMetrics = createRunMetrics(metrics)
  const runs = { ...shared, claims: pools.claims, events, maxRuns, runMetrics }
  const searches = cacheSearches(manager)
  addSearchController(manager, {
    ...runs,
    reporter: reporters.search,
    searches,
    template: templates.search,
    allowedUsers: config.own.searchUsers,
  })

  const generations = cacheGenerations(manager, { instance, pods })
  addGenerationController(manager, {
    ...runs,
    reporter: reporters.generation,
    ...generations,
    gpus,
    template: templates.generation,
  })

  const branchStores = cacheBranches(manager, { instance }, pods)
  const settings = {
    instance,
    template: templates.branch,
    ...(branchStorageClass === undefined ? {} : { storageClass: branchStorageClass }),
  }
  addBranchController(manager, { ...branchStores, clock, log, settings, edgeUrl })

  manager.whileLeading((signal) => events.work(signal))
  manager.whileLeading((signal) =>
    handleBranchEvents({ bus, client: manager.client, store: branchStores.branches }, signal),
  )

  const overrides = { total: maxRuns, namespace, ttlSeconds: config.own.runTtlSeconds }
  const kinds = [searchRuns({ searches, pods, ...overrides }), generationRuns({ stores: generations, ...overrides })]
  return {
    manager,
    implementations: [
      implementation(
        WorkloadsServiceDefinition,
        workloadsRpc({
          client,
          bus,
          reporters,
          runs: kinds,
          machines: gpus,
          namespace,
          maxQueued,
          clock,
          log,
        }),
      ),
      implementation(
        BranchesServiceDefinition,
        branchesRpc({ client, clock, stores: branchStores, settings, namespace }),
      ),
    ],
    attend: (signal) => gpus.run(signal),
  }
}
