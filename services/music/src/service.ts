import { basename, dirname } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import { connectInProcess, type Implementation } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { createLocalWorkloads, type WorkerKind } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { MusicConfig } from './config.ts'
import type { Dependencies } from './dependencies.ts'
import { features } from './features.ts'
import { createMusicMetrics, noMetrics } from './metrics.ts'
import { openInstalledModel } from './models/installed-model.ts'
import { type MusicTables, musicSchema } from './schemas.ts'
import type { WorkloadsClient } from './worker/run-task.ts'

export type MusicServiceOptions = {
  readonly config: MusicConfig
  readonly dataDirectory: string
  /** Location of the rows; undefined for the data directory. */
  readonly store?: StoreLocation
  readonly bus: Bus
  readonly files: Files
  readonly workloads: WorkloadsClient
  /** Whether workloads are objects in a cluster, whose operator sends plan requests and receives conclusions. */
  readonly runsAreObjects?: boolean
  /** How to start the workers beside the service, which decode uploads and write exports. */
  readonly localWorker: WorkerKind
  readonly log: Log
  readonly metrics?: Metrics
  readonly now?: () => Date
}

export type MusicService = AsyncDisposable & {
  readonly implementations: Implementation[]
}

/** Maximum uploads and exports that wait for a worker beside the service; more get 503. */
const maxWaiting = 50

/** Applies the configured database file, if rows are stored in files: a database server has its own location. */
const openMusicStore = ({ databasePath }: MusicConfig, location: StoreLocation, log: Log) => {
  const ownFile = databasePath && 'dataDirectory' in location
  const resolved = ownFile
    ? { ...location, dataDirectory: dirname(databasePath), file: basename(databasePath) }
    : location
  return openStore<MusicTables>({ ...musicSchema, ...resolved, log })
}

/** The music service: opens its store, resumes generations without a driver, and stops everything that it started when disposed. */
export const createMusicService = async (options: MusicServiceOptions): Promise<MusicService> => {
  const {
    config,
    bus,
    files,
    workloads,
    runsAreObjects = false,
    localWorker,
    log,
    metrics,
    now = () => new Date(),
  } = options
  await using opened = new AsyncDisposableStack()
  const { store = { dataDirectory: options.dataDirectory } } = options
  const { db } = opened.use(await openMusicStore(config, store, log))
  const localWorkloads = opened.use(
    createLocalWorkloads({ bus, kinds: { WORKLOAD_GENERATION: localWorker }, maxQueued: maxWaiting, log }),
  )
  // Separations are rare and long: no worker waits for them.
  const separationWorker = { ...localWorker, concurrency: config.separations, warm: 0 }
  const separationWorkloads = opened.use(
    createLocalWorkloads({ bus, kinds: { WORKLOAD_GENERATION: separationWorker }, log }),
  )
  const ending = new AbortController()
  const separations = connectInProcess(WorkloadsServiceDefinition, separationWorkloads.handlers)
  const installedModel = opened.use(
    openInstalledModel({
      config,
      runner: { bus, workloads: separations },
      runsElsewhere: runsAreObjects,
      log,
      signal: ending.signal,
    }),
  )
  const dependencies: Dependencies = {
    config,
    db,
    bus,
    files,
    workloads,
    runsAreObjects,
    localWorkloads: connectInProcess(WorkloadsServiceDefinition, localWorkloads.handlers),
    separationWorkloads: separations,
    installedModel,
    log,
    metrics: metrics === undefined ? noMetrics : createMusicMetrics(metrics),
    now,
    signal: ending.signal,
  }
  const implementations: Implementation[] = []
  try {
    for (const open of features) implementations.push(await open(dependencies, opened))
  } catch (error) {
    // Features that are already open wait for this signal when they are disposed.
    ending.abort(error)
    throw error
  }
  opened.defer(() => ending.abort(new Error('The music service is shutting down.')))
  const stack = opened.move()
  return { implementations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
