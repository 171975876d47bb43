import { rm } from 'node:fs/promises'
import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import { type Implementation, implementation, type RpcClient } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ListingsConfig } from './config.ts'
import type { DemoMarketplace } from './marketplace/demo/server.ts'
import { createMeasures, noMeasures } from './measures.ts'
import { listingsRpc } from './rpc.ts'
import { standingsDirectory } from './search/worker/kind.ts'
import { migrations } from './store/migrations.ts'
import type { Tables } from './store/tables.ts'
import type { World } from './world.ts'

export type ListingsServiceOptions = {
  readonly config: ListingsConfig
  readonly dataDirectory: string
  readonly bus: Bus
  readonly files?: Files
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
  readonly log: Log
  readonly metrics?: Metrics
  readonly now?: () => Date
  /** How long a statement waits for another writer's lock; 30 s unless told. */
  readonly lockWaitMilliseconds?: number
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

/** The listings service: opens its store, and ends the searches under way when it is disposed. */
export const createListingsService = async (options: ListingsServiceOptions): Promise<ListingsService> => {
  const {
    config,
    dataDirectory,
    bus,
    workloads,
    log,
    metrics,
    lockWaitMilliseconds = 30_000,
    now = () => new Date(),
  } = options
  await using opened = new AsyncDisposableStack()
  const { db } = opened.use(
    await openStore<Tables>({ name: 'listings', dataDirectory, migrations, lockWaitMilliseconds }),
  )
  // Workers may still be writing there: they end after the service.
  opened.defer(() => rm(standingsDirectory(), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  const demoUrl = lazyDemo(opened, now)
  const ending = new AbortController()
  const underWay = new Set<Promise<void>>()
  opened.defer(async () => {
    ending.abort(new Error('The listings service is ending.'))
    await Promise.all(underWay)
  })
  const measures = metrics === undefined ? noMeasures : createMeasures(metrics)
  const world: World = { config, db, bus, workloads, log, measures, now, signal: ending.signal, demoUrl }
  const track = (ended: Promise<void>) => {
    underWay.add(ended)
    void ended.finally(() => underWay.delete(ended))
  }
  const served = implementation(ListingsServiceDefinition, listingsRpc(world, track))
  const stack = opened.move()
  return { implementations: [served], [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
