import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers, type RpcClient, type ServiceDefinition } from '@trellis/kit/rpc'
import type { StoreLocation } from '@trellis/kit/store'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads } from '@trellis/kit/workloads'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { type RunRequest, WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { createListingsService, type ListingsService, listingsConfig, searchWorker } from '../src/mod.ts'

/** Connects to the features of a service. */
export const clientsOf =
  ({ implementations }: ListingsService) =>
  <Definition extends ServiceDefinition>(definition: Definition): RpcClient<Definition> => {
    const served = implementations.find((one) => one.definition.fullName === definition.fullName)
    return connectInProcess(definition, served?.handlers as Handlers<Definition>)
  }

/** The embedded service, with its own workers, on a database. `onRun` is called with each run that it requests. */
export const openService = async (
  store: StoreLocation,
  environment: Record<string, string> = {},
  { now, onRun }: { readonly now?: () => Date; readonly onRun?: (run: RunRequest) => void } = {},
) => {
  await using opened = new AsyncDisposableStack()
  const config = readConfig(listingsConfig, environment)
  const metrics = createMetrics({ processMetrics: false })
  const bus = opened.use(createMemoryBus())
  const kinds = { WORKLOAD_SEARCH: searchWorker(config) }
  const runtime = opened.use(createLocalWorkloads({ bus, kinds, log: silentLog }))
  const handlers = runtime.handlers as Handlers<typeof WorkloadsServiceDefinition>
  const workloads = connectInProcess(WorkloadsServiceDefinition, {
    ...handlers,
    run: (run, call) => {
      onRun?.(run)
      return handlers.run(run, call)
    },
  })
  const service = opened.use(
    await createListingsService({
      config,
      store,
      bus,
      workloads,
      log: silentLog,
      metrics,
      ...(now === undefined ? {} : { now }),
    }),
  )
  const connect = clientsOf(service)
  const client = connect(ListingsServiceDefinition)
  const stack = opened.move()
  return { client, connect, bus, metrics, store, close: () => stack.disposeAsync() }
}

export type OpenService = Awaited<ReturnType<typeof openService>>
