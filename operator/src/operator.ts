import type { Bus } from '@trellis/kit/bus'
import { type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { addBranchController, cacheBranches, handleBranchEvents } from './branch/mod.ts'
import { createGpuCapacity } from './capacity/mod.ts'
import { type Search, warmPools } from './crds/mod.ts'
import { addGenerationController, cacheGenerations, generationRuns } from './generation-job/mod.ts'
import { branchesRpc } from './rpc/branches.ts'
import { workloadsRpc } from './rpc/workloads.ts'
import { createReporters, createRunEvents, createRunMetrics } from './runs/mod.ts'
import {
  type Client,
  type Clock,
  type Controller,
  createManager,
  type Manager,
  type Random,
  type RuntimeMetrics,
  type Store,
  systemClock,
} from './runtime/mod.ts'
import { type AllowedUsers, addSearchController, cacheSearches, searchRuns } from './search/mod.ts'
import { createWarmPools, poolIndexes } from './warm-pool/mod.ts'
import { type Pod, podCache, pods as podKind, type WorkerTemplates } from './workers/mod.ts'

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
  health?: { host: string; port: number }
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
  /** Whether GenerationJobs are handled besides Searches; true by default. */
  handlesGenerations?: boolean
  /** Maximum number of runs of a kind with workers at the same time, and of queued runs of a kind. */
  maxRuns: number
  maxQueued: number
  /** Seconds that objects of runs requested by services stay after they end. */
  runTtlSeconds: number
  searchUsers?: AllowedUsers
  /** Labels of the operator's own pods, whose GPUs are not counted as taken by others. */
  ownLabels?: Readonly<Record<string, string>>
  /** Without it, the operator runs no Branches. */
  branches?: { template: WorkerTemplates['branch']; edgeUrl: string; storageClass?: string }
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
  /** The caches and controllers of Searches, for tests that look into them. */
  searches: { store: Store<Search>; controller: Controller }
}

const addBranches = (
  manager: Manager,
  { client, clock, log, bus, instance, namespace, pods }: BranchSurroundings,
  { template, edgeUrl, storageClass }: NonNullable<OperatorSettings['branches']>,
): Implementation => {
  const stores = cacheBranches(manager, { instance }, pods)
  const settings = { instance, template, ...(storageClass === undefined ? {} : { storageClass }) }
  addBranchController(manager, { ...stores, clock, log, settings, edgeUrl })
  manager.whileLeading((signal) => handleBranchEvents({ bus, client: manager.client, store: stores.branches }, signal))
  return implementation(BranchesServiceDefinition, branchesRpc({ client, clock, stores, settings, namespace }))
}

type BranchSurroundings = Pick<OperatorSurroundings, 'client' | 'log' | 'bus'> &
  Pick<OperatorSettings, 'instance' | 'namespace'> & { clock: Clock; pods: Store<Pod> }

/** Composes the operator: one manager, a controller per kind, and the RPC implementations. */
export const createOperator = (surroundings: OperatorSurroundings, operatorSettings: OperatorSettings): Operator => {
  const {
    client,
    bus,
    log,
    metrics,
    runtimeMetrics,
    namespaces,
    clock = systemClock,
    random = Math.random,
    election,
    health,
    drain,
    freeze = false,
  } = surroundings
  const { handlesGenerations = true, ownLabels = {}, branches } = operatorSettings
  const { instance, namespace, templates, maxRuns, maxQueued, runTtlSeconds, searchUsers } = operatorSettings
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
  const pods = manager.cache(podKind, { ...podCache({ instance, indexes: poolIndexes }), freeze })
  const events = createRunEvents({ bus, clock, log })
  const reporters = createReporters(bus)
  const shared = { client: manager.client, recorder: manager.recorder, pods, clock, log, instance }

  const pools = createWarmPools({ ...shared, pools: manager.cache(warmPools, { freeze }), templates, metrics })
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
  const runs = { ...shared, claims: pools.claims, events, maxRuns, runMetrics: createRunMetrics(metrics) }
  const searches = cacheSearches(manager)
  const searchController = addSearchController(manager, {
    ...runs,
    reporter: reporters.search,
    searches,
    template: templates.search,
    ...(searchUsers && { allowedUsers: searchUsers }),
  })
  manager.whileLeading((signal) => events.work(signal))

  const placement = { total: maxRuns, namespace, ttlSeconds: runTtlSeconds }
  const addGenerations = () => {
    const stores = cacheGenerations(manager, { instance, pods })
    const template = templates.generation
    addGenerationController(manager, { ...runs, reporter: reporters.generation, ...stores, gpus, template })
    return generationRuns({ stores, ...placement })
  }
  const runKinds = [searchRuns({ searches, pods, ...placement }), ...(handlesGenerations ? [addGenerations()] : [])]
  const workloads = workloadsRpc({
    client,
    bus,
    reporters,
    runs: runKinds,
    machines: gpus,
    namespace,
    maxQueued,
    clock,
    log,
  })
  const branchSurroundings = { client, clock, log, bus, instance, namespace, pods }
  return {
    manager,
    workloads,
    implementations: [
      implementation(WorkloadsServiceDefinition, workloads),
      ...(branches ? [addBranches(manager, branchSurroundings, branches)] : []),
    ],
    attend: (signal) => gpus.run(signal),
    searches: { store: searches, controller: searchController },
  }
}
