import type { Bus } from '@trellis/kit/bus'
import { createEgress } from '@trellis/kit/egress'
import type { Files } from '@trellis/kit/files'
import { createSerialQueue } from '@trellis/kit/lifecycle'
import { connectInProcess, type Implementation, type RpcClient } from '@trellis/kit/rpc'
import { isPostgres, openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { createLocalWorkloads, type WorkerKind } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type ListingsConfig, usesDemo } from './config.ts'
import type { Dependencies } from './dependencies.ts'
import { features } from './features.ts'
import { openLeases } from './leases.ts'
import type { DemoMarketplace } from './marketplace/demo/server.ts'
import { createListingsMetrics, noMetrics } from './metrics.ts'
import { type ListingsTables, listingsSchema } from './schemas.ts'

export type ListingsServiceOptions = {
  readonly config: ListingsConfig
  readonly store: StoreLocation
  readonly bus: Bus
  readonly files?: Files
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Whether workloads are objects in a cluster, whose operator sends plan requests and receives conclusions. */
  readonly runsAreObjects?: boolean
  /** Workers beside the service, for lookups that calls wait for; undefined to use `workloads` for those, too. */
  readonly localWorker?: WorkerKind | undefined
  /** Where the demo marketplace is at each start, unless another program is there: stored links to its listings lead to them. 8490 by default. */
  readonly demoPort?: number
  readonly log: Log
  readonly metrics?: Metrics
  readonly now?: () => Date
}

export type ListingsService = AsyncDisposable & { readonly implementations: Implementation[] }

/** The demo marketplace, loaded and started by what needs it first. */
const lazyDemo = (
  stack: AsyncDisposableStack,
  { config: { notificationEndpoint }, demoPort = 8_490, now = () => new Date() }: ListingsServiceOptions,
): (() => Promise<string>) => {
  let demo: Promise<DemoMarketplace> | undefined
  stack.defer(async () => (await demo)?.close())
  const start = async () => {
    const { startDemoMarketplace } = await import('./marketplace/demo/server.ts')
    return startDemoMarketplace({ preferredPort: demoPort, clock: now, notificationEndpoint })
  }
  return async () => {
    demo ??= start()
    const attempt = demo
    try {
      return (await attempt).url
    } catch (error) {
      if (demo === attempt) demo = undefined
      throw error
    }
  }
}

/** Starts the demo marketplace if the store has listings of it, to which pages and alerts link. */
const startLinkedDemo = async ({ config, db, demoUrl, log }: Dependencies): Promise<void> => {
  if (!usesDemo(config)) return
  try {
    const stored = await db.selectFrom('listings').select('id').limit(1).executeTakeFirst()
    if (stored !== undefined) await demoUrl()
  } catch (error) {
    log.warn({ err: error }, 'listings: the demo marketplace could not be started; a search tries again')
  }
}

/** Maximum lookups that wait for a worker beside the service; more get 503. */
const maxWaiting = 50

/** The workloads for lookups that calls wait for. */
const openLocalWorkloads = (
  stack: AsyncDisposableStack,
  { workloads, localWorker, bus, log }: ListingsServiceOptions,
) => {
  if (localWorker === undefined) return workloads
  const kinds = { WORKLOAD_SEARCH: localWorker }
  const localWorkloads = stack.use(createLocalWorkloads({ bus, kinds, maxQueued: maxWaiting, log }))
  return connectInProcess(WorkloadsServiceDefinition, localWorkloads.handlers)
}

/**
 * One replica of the listings service: opens its store, and drives searches that any replica accepted. When it is disposed,
 * unfinished searches go to another replica, or else to the next start.
 */
export const createListingsService = async (options: ListingsServiceOptions): Promise<ListingsService> => {
  const { config, store, bus, workloads, runsAreObjects = false, log, metrics, now = () => new Date() } = options
  await using opened = new AsyncDisposableStack()
  const { db } = opened.use(await openStore<ListingsTables>({ ...store, ...listingsSchema, log }))
  const leases = openLeases(db, now)
  // The only process of its database: leases that remain are those of a process that was killed.
  if (!isPostgres(store)) await leases.clear()
  const upstream = opened.use(
    createEgress({ blockPrivate: config.blockPrivateUpstreams, setting: 'SERVICE_BLOCK_PRIVATE_UPSTREAMS' }),
  )
  const demoUrl = config.demoUrl === undefined ? lazyDemo(opened, options) : async () => config.demoUrl ?? ''
  const ending = new AbortController()
  const localWorkloads = openLocalWorkloads(opened, options)
  const shared = {
    config,
    db,
    bus,
    workloads,
    localWorkloads,
    runsAreObjects,
    leases,
    upstream,
    log,
    metrics: metrics === undefined ? noMetrics : createListingsMetrics(metrics),
    now,
    demoUrl,
    admission: createSerialQueue(),
  }
  const dependencies: Dependencies = { ...shared, signal: ending.signal }
  const implementations: Implementation[] = []
  try {
    for (const open of features) implementations.push(...[await open(dependencies, opened)].flat())
  } catch (error) {
    // Features that are already open wait for this signal when they are disposed.
    ending.abort(error)
    throw error
  }
  opened.defer(() => ending.abort(new Error('The listings service is shutting down.')))
  await startLinkedDemo(dependencies)
  const stack = opened.move()
  return { implementations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
