import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { migrateStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { postgresMissing, startTestPostgres } from '@trellis/test/support/postgres'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { logsConfig } from './config.ts'
import { logsSchemas } from './schemas.ts'
import { createLogsService } from './service.ts'

const isFile = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

describe('the stores of the log service', () => {
  test('SERVICE_INCIDENTS_DB and SERVICE_CONTEXT_DB set separate incident and context stores', () => {
    const main = { dataDirectory: '/data' }
    const config = readConfig(logsConfig, {
      SERVICE_INCIDENTS_DB: 'postgresql://db/incidents',
      SERVICE_CONTEXT_DB: '/srv/context',
    })
    const { logs, incidents, context } = logsSchemas(config, main)
    expect([logs, incidents, context].map(({ location }) => location)).toEqual([
      main,
      { databaseUrl: 'postgresql://db/incidents' },
      { dataDirectory: '/srv/context' },
    ])
  })

  test('without them the default is a local file store beside the other rows', async () => {
    await using directory = await temporaryDirectory()
    await using elsewhere = await temporaryDirectory()
    await using bus = createMemoryBus()
    const open = (environment: Record<string, string>) =>
      createLogsService({
        config: readConfig(logsConfig, environment),
        dataDirectory: directory.path,
        bus,
        log: silentLog,
      })
    await (await open({ SERVICE_INCIDENTS_DB: elsewhere.path }))[Symbol.asyncDispose]()
    expect(await isFile(join(elsewhere.path, 'incidents.db'))).toBe(true)
    expect(await isFile(join(directory.path, 'incidents.db'))).toBe(false)
    await (await open({}))[Symbol.asyncDispose]()
    expect(await isFile(join(directory.path, 'incidents.db'))).toBe(true)
  })

  test.skipIf(postgresMissing !== undefined)(
    `DATABASE_URL chooses the backend: each store is a schema of its own${postgresMissing ? ` (${postgresMissing})` : ''}`,
    async () => {
      await using postgres = await startTestPostgres()
      await using bus = createMemoryBus()
      await using directory = await temporaryDirectory()
      const main = { databaseUrl: await postgres.createDatabase() }
      const config = readConfig(logsConfig, { SERVICE_INCIDENTS_DB: await postgres.createDatabase() })
      for (const { location, ...schema } of Object.values(logsSchemas(config, main)))
        await migrateStore(location, schema)
      await using service = await createLogsService({
        config,
        dataDirectory: directory.path,
        store: main,
        bus,
        log: silentLog,
      })
      expect(service.implementations.length).toBeGreaterThan(0)
      expect(await isFile(join(directory.path, 'logs.db'))).toBe(false)
    },
  )
})
