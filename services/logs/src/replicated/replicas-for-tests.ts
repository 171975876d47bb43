import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bus, createMemoryBus } from '@trellis/kit/bus'
import type { FilesLocation } from '@trellis/kit/files'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import { logsMigrations } from '../schemas.ts'
import type { AmendmentTables } from '../segments/amendment-store.ts'
import type { ShardLimits } from '../segments/shard.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createReplicatedEngine, type ReplicatedEngineOptions } from './engine.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'
import { createSharedCatalogue } from './shared-catalogue-store.ts'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

/** The dependencies that replicas share. Plain data except for the bus, so that another process can open the others, too. */
export type Shared = { bus: Bus; files: FilesLocation; store: StoreLocation }
export type Replica = AsyncDisposable & {
  engine: LogEngine
  catalogue: SharedCatalogue
  problems: string[]
  setAside: string[]
}
export type ReplicaOptions = Partial<ReplicatedEngineOptions>

/** Small limits, so that tests make many segments. */
export const smallLimits: ShardLimits = { documents: 8_192, textBytes: 4 * 1024 * 1024, cacheBytes: 8 * 1024 * 1024 }

export const openReplica = async (shared: Shared, options: ReplicaOptions = {}): Promise<Replica> => {
  const store = await openStore<SharedCatalogueTables & AmendmentTables>({
    ...shared.store,
    name: 'logs',
    migrations: logsMigrations,
  })
  const catalogue = createSharedCatalogue({ db: store.db, now: Date.now })
  const problems: string[] = []
  const setAside: string[] = []
  const engine = await createReplicatedEngine({
    bus: shared.bus,
    catalogue,
    files: shared.files,
    limits: smallLimits,
    // On a busy machine the engines of a run share two cores with a dozen other servers.
    waitMilliseconds: 170_000,
    onProblem: (problem) => problems.push(problem),
    onSetAside: (problem) => setAside.push(problem),
    ...options,
  })
  return {
    engine,
    catalogue,
    problems,
    setAside,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

/** Bus, files and store in this process and a folder that is removed with the test. */
export const createKeyValue = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-replicas-'))
  const bus = createMemoryBus()
  const shared: Shared = {
    bus,
    files: { kind: 'directory', path: join(directory, 'files') },
    store: { dataDirectory: directory },
  }
  return {
    directory,
    shared,
    nats: undefined,
    open: (options?: ReplicaOptions) => openReplica(shared, options),
    async [Symbol.asyncDispose]() {
      await bus[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
