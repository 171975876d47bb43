import { basename, dirname } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import { connectInProcess, type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { Log } from '@trellis/kit/telemetry'
import { createLocalWorkloads, type WorkerKind } from '@trellis/kit/workloads'
import { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { eventsRpc } from './chains/events-rpc.ts'
import { chainRpc } from './chains/rpc.ts'
import type { MusicConfig } from './config.ts'
import { createDeliveries } from './delivery/export.ts'
import { deliveryRpc } from './delivery/rpc.ts'
import type { Dependencies } from './dependencies.ts'
import { driveGenerations } from './generations/drivers.ts'
import { createGenerations } from './generations/generations.ts'
import { servePlanRequests } from './generations/plan-requests.ts'
import { generationsRpc } from './generations/rpc.ts'
import { gpuRpc } from './gpu/rpc.ts'
import { migrations } from './store/migrations.ts'
import type { MusicTables } from './store/tables.ts'
import { sweepPeriodically } from './sweep.ts'
import type { WorkloadsClient } from './worker/run-task.ts'

export interface MusicServiceOptions {
  readonly config: MusicConfig
  readonly dataDirectory: string
  /** Where rows are kept; in the data directory unless told. */
  readonly store?: StoreLocation
  readonly bus: Bus
  readonly files: Files
  readonly workloads: WorkloadsClient
  /** Whether those are objects in a cluster, which order generations and are told how they ended. */
  readonly runsAreObjects?: boolean
  /** How the workers beside the service are started, which read uploads and write exports. */
  readonly localWorker: WorkerKind
  readonly log: Log
  readonly now?: () => Date
}

export interface MusicService extends AsyncDisposable {
  readonly implementations: Implementation[]
}

/** Uploads and exports that wait for a worker beside the service; more are 503. */
const MAX_WAITING = 50

/** The path of a file is the place of rows that are kept in files: a database server has its own. */
const openMusicStore = ({ databasePath }: MusicConfig, location: StoreLocation, log: Log) => {
  const ownFile = databasePath && 'dataDirectory' in location
  const place = ownFile
    ? { name: basename(databasePath, '.db'), dataDirectory: dirname(databasePath) }
    : { name: 'music', ...location }
  return openStore<MusicTables>({ ...place, migrations, log })
}

/** The music service: opens its store, takes up what is being generated and nobody drives, and ends all that it started when disposed. */
export const createMusicService = async (options: MusicServiceOptions): Promise<MusicService> => {
  const { config, bus, files, workloads, runsAreObjects = false, localWorker, log, now = () => new Date() } = options
  await using opened = new AsyncDisposableStack()
  const { store = { dataDirectory: options.dataDirectory } } = options
  const { db } = opened.use(await openMusicStore(config, store, log))
  const localWorkloads = opened.use(
    createLocalWorkloads({ bus, kinds: { WORKLOAD_GENERATION: localWorker }, maxQueued: MAX_WAITING, log }),
  )
  const ending = new AbortController()
  const dependencies: Dependencies = {
    config,
    db,
    bus,
    files,
    workloads,
    runsAreObjects,
    localWorkloads: connectInProcess(WorkloadsServiceDefinition, localWorkloads.handlers),
    log,
    now,
    signal: ending.signal,
  }
  const generations = createGenerations(dependencies)
  const loops = Promise.all([
    driveGenerations(dependencies),
    servePlanRequests(dependencies, generations),
    sweepPeriodically(dependencies),
  ])
  // Awaited at the end; until then a loop that broke is only to be known.
  loops.catch((error: unknown) => log.error({ err: error }, 'a loop of the music service broke'))
  opened.defer(async () => {
    ending.abort(new Error('The music service is ending.'))
    await loops.catch(() => undefined)
  })
  const handlers: Handlers<typeof MusicServiceDefinition> = {
    ...chainRpc(dependencies, generations.stop),
    ...generationsRpc(dependencies, generations),
    ...deliveryRpc(dependencies, createDeliveries(dependencies)),
    ...eventsRpc(dependencies),
    ...gpuRpc(dependencies),
    getHealth: async () => ({ status: 'ok' }),
  }
  const stack = opened.move()
  return {
    implementations: [implementation(MusicServiceDefinition, handlers)],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
