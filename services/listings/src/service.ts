import { rm } from 'node:fs/promises'
import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import { type Implementation, implementation, type RpcClient } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ListingsConfig } from './config.ts'
import type { DemoMarketplace } from './marketplace/demo/server.ts'
import { createMeasures, noMeasures } from './measures.ts'
import { listingsRpc } from './rpc.ts'
import { driveSearches } from './search/drivers.ts'
import { standingsDirectory } from './search/worker/kind.ts'
import { migrations } from './store/migrations.ts'
import type { Tables } from './store/tables.ts'
import type { World } from './world.ts'

export type ListingsServiceOptions = {
  readonly config: ListingsConfig
  readonly store: StoreLocation
  readonly bus: Bus
  readonly files?: Files
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
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

/**
 * One replica of the listings service: opens its store, and drives searches that any replica was asked for. When it is
 * disposed, the searches under way go to another one; where there is none, to the next start.
 */
export const createListingsService = async (options: ListingsServiceOptions): Promise<ListingsService> => {
  const { config, store, bus, workloads, log, metrics, now = () => new Date() } = options
  await using opened = new AsyncDisposableStack()
  const { db } = opened.use(await openStore<Tables>({ ...store, name: 'listings', migrations, log }))
  // Workers may still be writing there: they end after the service.
  opened.defer(() => rm(standingsDirectory(), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  const demoUrl = lazyDemo(opened, now)
  const ending = new AbortController()
  const measures = metrics === undefined ? noMeasures : createMeasures(metrics)
  const world: World = { config, db, bus, workloads, log, measures, now, signal: ending.signal, demoUrl }
  const driving = driveSearches(world).catch((error: unknown) => log.error({ err: error }, 'searches are not driven'))
  opened.defer(async () => {
    ending.abort(new Error('The listings service is ending.'))
    await driving
  })
  const served = implementation(ListingsServiceDefinition, listingsRpc(world))
  const stack = opened.move()
  return { implementations: [served], [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
