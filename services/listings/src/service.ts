import { rm } from 'node:fs/promises'
import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import { createSerialQueue } from '@trellis/kit/lifecycle'
import { connectInProcess, type Implementation, type RpcClient } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { createLocalWorkloads, type WorkerKind } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ListingsConfig } from './config.ts'
import type { Dependencies } from './dependencies.ts'
import { features } from './features.ts'
import type { DemoMarketplace } from './marketplace/demo/server.ts'
import { createMeasures, noMeasures } from './measures.ts'
import { type ListingsTables, listingsSchema } from './schemas.ts'
import { hostStatesDirectory } from './worker/kind.ts'

export type ListingsServiceOptions = {
  readonly config: ListingsConfig
  readonly store: StoreLocation
  readonly bus: Bus
  readonly files?: Files
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Whether those workloads are objects in a cluster, which order searches and are told how they ended. */
  readonly runsAreObjects?: boolean
  /** How workers beside the service are started, for what calls wait for; without them that goes to the workloads. */
  readonly localWorker?: WorkerKind | undefined
  readonly log: Log
  readonly metrics?: Metrics
  readonly now?: () => Date
}

export type ListingsService = AsyncDisposable & { readonly implementations: Implementation[] }

/** The demo marketplace, loaded and started by the first search that needs it. */
const lazyDemo = (stack: AsyncDisposableStack, now: () => Date): (() => Promise<string>) => {
  let demo: Promise<DemoMarketplace> | undefined
  stack.defer(async () => (await demo)?.close())
  const start = async () => {
    const { startDemoMarketplace } = await import('./marketplace/demo/server.ts')
    return startDemoMarketplace({ clock: now })
  }
  return async () => {
    demo ??= start()
    return (await demo).url
  }
}

/** Lookups that wait for a worker beside the service; more are 503. */
const maxWaiting = 50

/** Where what a call waits for is looked up. */
const openDesk = (stack: AsyncDisposableStack, { workloads, localWorker, bus, log }: ListingsServiceOptions) => {
  if (localWorker === undefined) return workloads
  const kinds = { WORKLOAD_SEARCH: localWorker }
  const localWorkloads = stack.use(createLocalWorkloads({ bus, kinds, maxQueued: maxWaiting, log }))
  return connectInProcess(WorkloadsServiceDefinition, localWorkloads.handlers)
}

/**
 * One replica of the listings service: opens its store, and drives searches that any replica was asked for. When it is
 * disposed, the searches under way go to another one; where there is none, to the next start.
 */
export const createListingsService = async (options: ListingsServiceOptions): Promise<ListingsService> => {
  const { config, store, bus, workloads, runsAreObjects = false, log, metrics, now = () => new Date() } = options
  await using opened = new AsyncDisposableStack()
  const { db } = opened.use(await openStore<ListingsTables>({ ...store, ...listingsSchema, log }))
  // Workers may still be writing there: they end after the service.
  opened.defer(() => rm(hostStatesDirectory(), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  const demoUrl = config.demoUrl === undefined ? lazyDemo(opened, now) : async () => config.demoUrl ?? ''
  const ending = new AbortController()
  const measures = metrics === undefined ? noMeasures : createMeasures(metrics)
  const localWorkloads = openDesk(opened, options)
  const shared = {
    config,
    db,
    bus,
    workloads,
    localWorkloads,
    runsAreObjects,
    log,
    measures,
    now,
    demoUrl,
    admission: createSerialQueue(),
  }
  const dependencies: Dependencies = { ...shared, signal: ending.signal }
  const implementations: Implementation[] = []
  try {
    for (const open of features) implementations.push(await open(dependencies, opened))
  } catch (error) {
    // Features that are open already wait for this signal when they are disposed of.
    ending.abort(error)
    throw error
  }
  opened.defer(() => ending.abort(new Error('The listings service is ending.')))
  const stack = opened.move()
  return { implementations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
