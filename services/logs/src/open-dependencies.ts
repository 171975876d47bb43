import { join } from 'node:path'
import { createEgress } from '@trellis/kit/egress'
import { createLeases } from '@trellis/kit/leases'
import { createDataDirectory, openStore, type PlacedSchema } from '@trellis/kit/store'
import type { Metrics } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import { createArrivalMark } from './arrivals/arrival-mark.ts'
import { countEntries } from './arrivals/count-entries.ts'
import { noteArrivals } from './arrivals/note-arrivals.ts'
import { createBranchDirectory } from './branches/directory.ts'
import { createRequireBranch } from './branches/require-branch.ts'
import { createSharedSearch } from './branches/shared-search.ts'
import { createSharedSources } from './collect/shared-sources.ts'
import { createSourcesFile } from './collect/sources-file.ts'
import { withTargetHosts } from './collect/ssh/with-target-hosts.ts'
import { createContextBase } from './context/context.ts'
import type { ContextTables } from './context/migrations.ts'
import { createSimilarity } from './context/similarity.ts'
import type { Dependencies } from './dependencies.ts'
import { openUserFormats } from './formats/user/user-formats.ts'
import type { AllIncidentTables } from './incidents/all-tables.ts'
import { createPressure } from './ingest/pressure.ts'
import { createTasks } from './ingest/tasks.ts'
import { createSpool } from './ingest/unpack/spool.ts'
import { inboxOf, logFolders } from './local-files/folders.ts'
import { createLocalFiles } from './local-files/local-files.ts'
import { openEngine } from './open-engine.ts'
import { createOverlaidEngine } from './overlays/overlaid-engine.ts'
import { createOverlays } from './overlays/store.ts'
import { openPatterns } from './patterns/use-patterns.ts'
import { leaseRows } from './replicated/lease-rows.ts'
import { type LogsTables, logsSchemas } from './schemas.ts'
import { createObsoleteDetections } from './scoring/obsolete-detections.ts'
import { createSemanticServices, type SemanticServices } from './semantic/semantic-services.ts'
import type { LogsServiceOptions } from './service-options.ts'
import { openSettings } from './settings/open-settings.ts'
import { openSsh } from './ssh-targets/open-ssh.ts'

const megabyte = 1024 * 1024

/** Opens each store at the location that its setting configures. */
const openStores = async (options: LogsServiceOptions, opened: AsyncDisposableStack) => {
  const { config, dataDirectory, store: location = { dataDirectory }, log } = options
  const schemas = logsSchemas(config, location)
  const openPlaced = async <Rows>({ location: place, ...schema }: PlacedSchema) =>
    opened.use(await openStore<Rows>({ ...place, ...schema, log }))
  return {
    rows: await openPlaced<LogsTables>(schemas.logs),
    incidents: await openPlaced<AllIncidentTables>(schemas.incidents),
    context: await openPlaced<ContextTables>(schemas.context),
  }
}

type ContextParts = Pick<Dependencies, 'config' | 'now' | 'log'> &
  Pick<SemanticServices, 'vectors'> & { db: Kysely<ContextTables> }

/** What users have stated about their systems, ranked by meaning where an embedding model is configured. */
const openContext = ({ config, db, vectors, now, log }: ContextParts) =>
  createContextBase({
    db,
    now,
    ...(vectors && {
      similarity: createSimilarity({
        vectors,
        waitMilliseconds: config.semanticWaitMilliseconds,
        onProblem: (error) => log.error({ err: error }, 'the context could not be ranked by meaning'),
      }),
    }),
  })

/** Reservations of the requests in progress; both gauges return to 0 when the last request ends. */
const addReservations = (
  metrics: Metrics,
  { config, pressure, spool }: Pick<Dependencies, 'config' | 'pressure' | 'spool'>,
) => {
  const limit = (name: string, megabytes: number) =>
    metrics.gauge({ name: `${name}_limit`, help: `Limit of ${name}.` }, () => megabytes * megabyte)
  limit('trellis_logs_pushed_bytes', config.pushedMegabytes)
  limit('trellis_logs_spooled_bytes', config.spoolMegabytes)
  metrics.gauge({ name: 'trellis_logs_pushed_bytes', help: 'Memory reserved by pushed batches.' }, pressure.heldBytes)
  metrics.gauge({ name: 'trellis_logs_spooled_bytes', help: 'Disk reserved by uploaded archives.' }, spool.heldBytes)
}

/** Opens the shared dependencies of the features in dependency order, and registers on `opened` what must be closed. */
export const openDependencies = async (
  options: LogsServiceOptions,
  opened: AsyncDisposableStack,
): Promise<Dependencies> => {
  const { config, dataDirectory, bus, log, now = Date.now } = options
  const isShared = options.filesLocation !== undefined
  const stores = await openStores(options, opened)
  const { db } = stores.rows
  const leases = createLeases({ ...leaseRows(db), now })
  if (!isShared) await leases.clear()
  // User formats are opened before any entry is read, because parsing uses them.
  const formats = opened.use(
    await openUserFormats({ directory: config.formatsDirectory ?? join(dataDirectory, 'formats'), log }),
  )
  const tasks = opened.use(createTasks({ db, bus, now, isShared }))
  const afterEngine = opened.use(new AsyncDisposableStack())
  const patterns = opened.use(
    await openPatterns({ directory: config.patternsDirectory ?? join(dataDirectory, 'patterns'), log }),
  )
  const { engine: own, tail, version } = opened.use(await openEngine(options, stores.rows))
  const directory = options.branches && opened.use(createBranchDirectory({ ...options.branches, log }))
  const branches =
    directory && createSharedSearch({ own, directory, waitMilliseconds: config.branchWaitMilliseconds, log })
  const overlays = createOverlays(db)
  const detections = createObsoleteDetections(db)
  const engineWithoutOverlays = branches?.engine ?? own
  const overlaid = createOverlaidEngine(engineWithoutOverlays, overlays, detections)
  const noted = noteArrivals(countEntries(overlaid, options.metrics))
  const { engine } = noted
  const { semantic, vectors } = opened.use(createSemanticServices({ config, db, engine, now, log }))
  const ssh = opened.use(openSsh({ config, dataDirectory, db, now }))
  const inbox = inboxOf(dataDirectory)
  await createDataDirectory(inbox)
  const localFiles = createLocalFiles({
    ...logFolders({ ...config, dataDirectory }),
    inbox,
    privateFolders: [dataDirectory, ...config.privateDirectories, ...ssh.keyFolders],
    secretFiles: options.secretFiles ?? [],
  })
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('The log service is ending.')))
  await tasks.recover()
  const sourcesFile = createSourcesFile({
    path: config.sourcesFile ?? join(dataDirectory, 'sources.yaml'),
    lockDirectory: join(dataDirectory, 'sources-lock'),
  })
  const pressure = createPressure(config.pushedMegabytes * megabyte)
  const spool = createSpool({ directory: join(dataDirectory, 'spool'), maxBytes: config.spoolMegabytes * megabyte })
  if (options.metrics) addReservations(options.metrics, { config, pressure, spool })
  return {
    config,
    dataDirectory,
    db,
    incidentRows: stores.incidents.db,
    leases,
    isShared,
    engine,
    engineWithoutOverlays,
    overlays,
    semantic,
    branches,
    directory,
    requireBranch: createRequireBranch(directory),
    tail,
    arrivals: createArrivalMark({ countHere: () => noted.count, version, directory }),
    detections,
    tasks,
    sources: withTargetHosts(isShared ? createSharedSources({ sourcesFile, db }) : sourcesFile, ssh.targets.addressOf),
    pressure,
    formats,
    spool,
    bus,
    upstream: opened.use(
      createEgress({ blockPrivate: config.blockPrivateUpstreams, setting: 'SERVICE_BLOCK_PRIVATE_UPSTREAMS' }),
    ),
    settings: await openSettings({ config, db, ...(!isShared && { dataDirectory }), now }),
    context: openContext({ config, db: stores.context.db, vectors, now, log }),
    patterns,
    ssh,
    localFiles,
    log,
    now,
    signal: ending.signal,
    afterEngine,
  }
}
