import { join } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import { issueSession, sessionLifetimeSeconds } from '@trellis/kit/credentials'
import { type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log } from '@trellis/kit/telemetry'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { LogsConfig } from './config.ts'
import { diagnoseRpc } from './diagnose/rpc.ts'
import { ingestRpc } from './ingest/rpc.ts'
import { type TaskTables, taskMigration } from './ingest/task-store.ts'
import { createTasks } from './ingest/tasks.ts'
import { searchRpc } from './search/rpc.ts'
import { type CatalogueTables, catalogueMigration, createCatalogue } from './segments/catalogue-store.ts'
import { shardLimits } from './segments/shard.ts'
import { sourcesRpc } from './sources/rpc.ts'
import { tailRpc } from './tail/rpc.ts'
import { createTail } from './tail/tail.ts'
import { createLogEngine } from './threads/engine.ts'
import type { World } from './world.ts'

export type LogsServiceOptions = {
  config: LogsConfig
  dataDirectory: string
  /** Where rows are kept; in the data directory unless told. */
  store?: StoreLocation
  bus: Bus
  log: Log
  now?: () => number
}

export type LogsService = AsyncDisposable & { implementations: Implementation[] }

/** The schema of the log service, step by step. */
export const logsMigrations = [catalogueMigration, taskMigration]

const megabyte = 1024 * 1024

/** The log service: rows in its store, entries in a folder of their own, threads that start with the first work. */
export const createLogsService = async ({
  config,
  dataDirectory,
  store: location = { dataDirectory },
  bus,
  log,
  now = Date.now,
}: LogsServiceOptions): Promise<LogsService> => {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(
    await openStore<CatalogueTables & TaskTables>({ ...location, name: 'logs', migrations: logsMigrations, log }),
  )
  const engine = opened.use(
    createLogEngine({
      directory: join(dataDirectory, 'logs'),
      catalogue: createCatalogue(store.db),
      limits: { ...shardLimits, documents: config.segmentEntries, cacheBytes: config.cacheMegabytes * megabyte },
      inFlightBytes: config.inFlightMegabytes * megabyte,
      idleMilliseconds: config.idleSeconds * 1000,
      onProblem: (problem) => log.error({ problem }, 'logs cannot all be read or written'),
    }),
  )
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('The log service is ending.')))
  const tasks = createTasks({ db: store.db, bus, now })
  await tasks.recover()
  const world: World = { config, engine, tasks, bus, log, now, signal: ending.signal }
  const handlers: Handlers<typeof LogsServiceDefinition> = {
    ...ingestRpc(world),
    ...searchRpc(world),
    ...tailRpc(world, createTail({ engine, bus })),
    ...diagnoseRpc(world),
    ...sourcesRpc(world),
    createSession: async (_, { head }) => {
      if (config.apiKey !== '') {
        const session = issueSession(config.apiKey, now())
        head.header(
          'set-cookie',
          `logs_session=${session}; Path=/logs; HttpOnly; SameSite=Strict; Max-Age=${sessionLifetimeSeconds}`,
        )
      }
      return {}
    },
    getHealth: async () => ({ status: 'ok' }),
  }
  const stack = opened.move()
  return {
    implementations: [implementation(LogsServiceDefinition, handlers)],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
