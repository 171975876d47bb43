import { readConfig } from '@trellis/kit/config'
import { migrateStore, type StoreLocation } from '@trellis/kit/store'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { logsConfig } from '../config.ts'
import { logsSchemas } from '../schemas.ts'
import { openServiceForTests } from '../service-for-tests.ts'

export type OpenOptions = {
  environment?: Record<string, string>
  /** Location of the rows; by default a temporary folder. */
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
  if (store) {
    for (const { location, ...schema } of Object.values(logsSchemas(readConfig(logsConfig, environment), store)))
      await migrateStore(location, schema)
  }
  const service = await openServiceForTests({
    environment,
    ...(directory !== undefined && { dataDirectory: directory }),
    ...(store && { store }),
    ...(now && { now }),
  })
  const logs = service.client(LogsServiceDefinition)
  return {
    folder: service.dataDirectory,
    logs,
    entries: service.client(EntriesServiceDefinition),
    incidents: service.client(IncidentsServiceDefinition),
    settings: service.client(SettingsServiceDefinition),
    push: (sourceId: string, entries: readonly PushedEntry[]) => logs.gleanBatch(body(sourceId, entries)),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
