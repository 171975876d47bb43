import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type RpcClient, type ServiceDefinition } from '@trellis/kit/rpc'
import { migrateStore, type StoreLocation } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts'
import { logsConfig } from '../config.ts'
import { createLogsService, logsSchemas } from '../service.ts'

export type OpenOptions = {
  environment?: Record<string, string>
  /** Where rows are; in a folder of its own unless told. */
  store?: StoreLocation
  directory?: string
  now?: () => number
}

export type PushedEntry = {
  text: string
  timestamp_iso?: string
  severity?: string
  source_id?: string
  sequence?: number
}

async function* body(sourceId: string, entries: readonly PushedEntry[]) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ source_id: sourceId, entries })) } }
}

/** The log service alone, called as the edge calls it. */
export const openService = async ({ environment = {}, store, directory, now }: OpenOptions = {}) => {
  await using opened = new AsyncDisposableStack()
  const folder = directory ?? opened.use(await temporaryDirectory()).path
  const bus = opened.use(createMemoryBus())
  const config = readConfig(logsConfig, environment)
  if (store) {
    for (const { location, ...schema } of Object.values(logsSchemas(config, store)))
      await migrateStore(location, schema)
  }
  const service = opened.use(
    await createLogsService({
      config,
      dataDirectory: folder,
      ...(store && { store }),
      ...(now && { now }),
      bus,
      log: silentLog,
    }),
  )
  const clientOf = <Definition extends ServiceDefinition>(definition: Definition): RpcClient<Definition> => {
    const found = service.implementations.find((one) => one.definition.fullName === definition.fullName)
    if (!found) throw new Error(`The service does not implement ${definition.fullName}.`)
    return connectInProcess(found.definition, found.handlers) as unknown as RpcClient<Definition>
  }
  const logs = clientOf(LogsServiceDefinition)
  const stack = opened.move()
  return {
    folder,
    logs,
    incidents: clientOf(IncidentsServiceDefinition),
    settings: clientOf(SettingsServiceDefinition),
    push: (sourceId: string, entries: readonly PushedEntry[]) => logs.gleanBatch(body(sourceId, entries)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
