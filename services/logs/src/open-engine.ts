import { join } from 'node:path'
import type { Store } from '@trellis/kit/store'
import { createCatalogueTail } from './replicated/catalogue-tail.ts'
import { createReplicatedEngine } from './replicated/engine.ts'
import { createSharedCatalogue } from './replicated/shared-catalogue-store.ts'
import type { SharedCatalogueTables } from './replicated/shared-catalogue-tables.ts'
import { type CatalogueTables, createCatalogue } from './segments/catalogue-store.ts'
import { shardLimits } from './segments/shard.ts'
import type { LogsServiceOptions } from './service-options.ts'
import { createTail, type Tail } from './tail/tail.ts'
import { createTemplateStore, type TemplateTables } from './templates/store.ts'
import { createLogEngine } from './threads/engine.ts'
import type { LogEngine } from './threads/log-engine.ts'

const megabyte = 1024 * 1024

export type OpenedEngine = AsyncDisposable & {
  engine: LogEngine
  tail: Tail
  /** The version of the catalogue that replicas share; absent without replicas. Reading it wakes no thread. */
  version?: () => Promise<number>
}

/** The engine for the configured storage: shared by replicas with `filesLocation`, else exclusive to the data directory. */
export const openEngine = async (
  options: LogsServiceOptions,
  { db }: Store<CatalogueTables & SharedCatalogueTables & TemplateTables>,
): Promise<OpenedEngine> => {
  const { config, dataDirectory, bus, filesLocation: files, log, now = Date.now } = options
  const setAside = options.metrics?.counter({
    name: 'trellis_logs_batches_set_aside_total',
    help: 'Batches of the append log that could not be indexed and were set aside.',
  })
  const common = {
    limits: { ...shardLimits, documents: config.segmentEntries, cacheBytes: config.cacheMegabytes * megabyte },
    inFlightBytes: config.inFlightMegabytes * megabyte,
    idleMilliseconds: config.idleSeconds * 1000,
    onProblem: (problem: string) => log.error({ problem }, 'log storage reported a problem'),
    onSetAside: (problem: string) => {
      setAside?.inc()
      log.error({ problem }, 'a batch of log entries could not be indexed and was set aside')
    },
  }
  const templates = createTemplateStore(db, now)
  if (!files) {
    const directory = join(dataDirectory, 'logs')
    const engine = createLogEngine({
      ...common,
      reservedBytes: config.reservedMegabytes * megabyte,
      directory,
      catalogue: createCatalogue(db),
      templates,
    })
    return {
      engine,
      tail: createTail({ engine }),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    }
  }
  const local = { directory: join(dataDirectory, 'log-segments'), bytes: config.localMegabytes * megabyte }
  const catalogue = createSharedCatalogue({ db, now })
  const engine = await createReplicatedEngine({
    ...common,
    bus,
    files,
    catalogue,
    templates,
    // A shared folder needs no local copies.
    ...(files.kind !== 'directory' && { local }),
    now,
  })
  return {
    engine,
    tail: createCatalogueTail(engine),
    version: catalogue.version,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}
