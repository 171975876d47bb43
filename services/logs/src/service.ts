import { join } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import { issueSession, sessionLifetimeSeconds } from '@trellis/kit/credentials'
import type { FilesLocation } from '@trellis/kit/files'
import { shareConnections, storeElsewhere } from '@trellis/kit/process'
import { type Handlers, type Implementation, implementation, type RpcClient, type RpcSecurity } from '@trellis/kit/rpc'
import { openStore, type PlacedSchema, type StoreLocation } from '@trellis/kit/store'
import type { Log } from '@trellis/kit/telemetry'
import { BlocklistServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/blocklist.ts'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { MediaMonitorServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/media_monitor.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { SetupServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import type { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { openBlocklist } from './blocklist/open-blocklist.ts'
import { blocklistRpc } from './blocklist/rpc.ts'
import { type BlocklistTables, blocklistMigration } from './blocklist/store.ts'
import { createBranchDirectory } from './branches/directory.ts'
import { branchDirectoryRpc, orchardRpc } from './branches/orchard-rpc.ts'
import { createRequireBranch } from './branches/require-branch.ts'
import { createSharedSearch } from './branches/shared-search.ts'
import { createLeases } from './cluster/leases.ts'
import { type SharedCatalogueTables, sharedCatalogueMigration } from './cluster/shared-catalogue-tables.ts'
import { type AddedSourcesTables, addedSourcesMigration } from './collect/added-sources-store.ts'
import { type CheckpointTables, checkpointMigration } from './collect/checkpoint-store.ts'
import { type CollectStateTables, collectStateMigration } from './collect/collect-state-store.ts'
import { createCollecting } from './collect/collecting.ts'
import { createContainerCollector } from './collect/docker/container-collector.ts'
import { createFileCollector } from './collect/files/file-collector.ts'
import { createJournalCollector } from './collect/journald/journald-collector.ts'
import { collectRpc } from './collect/rpc.ts'
import { createSharedSources } from './collect/shared-sources.ts'
import { createSourcesFile } from './collect/sources-file.ts'
import { type HostKeyTables, hostKeyMigration } from './collect/ssh/host-key-store.ts'
import { createSshCollector } from './collect/ssh/ssh-collector.ts'
import { type OutboxTables, outboxMigration } from './collect/submit/outbox-store.ts'
import type { LogsConfig } from './config.ts'
import { createContextBase } from './context/context.ts'
import { type ContextTables, contextMigrations } from './context/migrations.ts'
import { contextRpc } from './context/rpc.ts'
import { createSimilarity } from './context/similarity.ts'
import { diagnoseRpc } from './diagnose/rpc.ts'
import { formatsRpc } from './formats/rpc.ts'
import { openUserFormats } from './formats/user/user-formats.ts'
import type { AllIncidentTables } from './incidents/all-tables.ts'
import { createArrivalMark } from './incidents/automatic/arrivals.ts'
import { incidentMigrations, openIncidents } from './incidents/open-incidents.ts'
import { createPressure } from './ingest/pressure.ts'
import { ingestRpc } from './ingest/rpc.ts'
import { type TaskTables, taskMigration, taskOwnerMigration } from './ingest/task-store.ts'
import { createTasks } from './ingest/tasks.ts'
import { createSpool } from './ingest/unpack/spool.ts'
import { createKeeping } from './kept/keeping.ts'
import { entriesRpc } from './kept/rpc.ts'
import { createVacuum } from './kept/vacuum.ts'
import { mediaMonitorRpc } from './media-monitor/rpc.ts'
import { openEngine } from './open-engine.ts'
import { createOverlaidEngine } from './overlays/overlaid-engine.ts'
import { createOverlays, type OverlayTables, overlayMigration } from './overlays/store.ts'
import { openPatterns } from './patterns/use-patterns.ts'
import { noteArrivals } from './scoring/arrivals.ts'
import { createOutlivedDetections } from './scoring/outlived-detections.ts'
import { scoringRpc } from './scoring/rpc.ts'
import { createScorerRuns } from './scoring/run-task.ts'
import { createScoring } from './scoring/scoring.ts'
import { type ScoringTables, scoringMigration } from './scoring/tables.ts'
import { searchRpc } from './search/rpc.ts'
import { amendmentMigration } from './segments/amendment-store.ts'
import { type CatalogueTables, catalogueMigration } from './segments/catalogue-store.ts'
import { createMeanings } from './semantic/meanings.ts'
import { type VectorTables, vectorMigration } from './semantic/vector-store.ts'
import { openSettings } from './settings/open-settings.ts'
import { settingsRpc } from './settings/rpc.ts'
import { type SettingTables, settingsMigration } from './settings/store.ts'
import { setupRpc } from './setup/rpc.ts'
import { sourcesRpc } from './sources/rpc.ts'
import { openSsh } from './ssh-targets/open-ssh.ts'
import { sshTargetsRpc } from './ssh-targets/rpc.ts'
import { type SshTargetTables, sshTargetMigration } from './ssh-targets/store.ts'
import { tailRpc } from './tail/rpc.ts'
import { templatesRpc } from './templates/rpc.ts'
import { type TemplateTables, templateMigration } from './templates/store.ts'
import { createUpstream } from './upstream/upstream.ts'
import type { World } from './world.ts'

export type LogsServiceOptions = {
  config: LogsConfig
  dataDirectory: string
  /** Where rows are kept; in the data directory unless told. */
  store?: StoreLocation
  bus: Bus
  /**
   * Where replicas share segments. With it, any number of these services may stand on one bus, one store and these files, and each knows
   * what all have; without it, entries lie in the data directory and this service is alone on it.
   */
  filesLocation?: FilesLocation
  /** Who runs branches, and what calls to a branch carry; without it there are none. */
  branches?: { service: RpcClient<typeof BranchesServiceDefinition>; security: RpcSecurity } | undefined
  log: Log
  now?: () => number
}

export type LogsService = AsyncDisposable & { implementations: Implementation[] }

/** The schema of the log service, step by step. */
export const logsMigrations = [
  catalogueMigration,
  taskMigration,
  sharedCatalogueMigration,
  taskOwnerMigration,
  overlayMigration,
  checkpointMigration,
  settingsMigration,
  vectorMigration,
  templateMigration(9),
  amendmentMigration(10),
  collectStateMigration(11),
  hostKeyMigration,
  sshTargetMigration,
  scoringMigration(14),
  blocklistMigration,
  outboxMigration(16),
  addedSourcesMigration(17),
]
export const logsSchema = { name: 'logs', migrations: logsMigrations }
export const incidentsSchema = { name: 'incidents', migrations: incidentMigrations }
export const contextSchema = { name: 'context', migrations: contextMigrations }

/** All schemas of the log service, each where its setting places it; without one, beside the others. Throws ConfigFailure. */
export const logsSchemas = (config: LogsConfig, main: StoreLocation) => {
  const { incidentsDatabase, contextDatabase } = config
  const [logs = main, incidents = main, context = main] = shareConnections([
    main,
    storeElsewhere({ variable: 'SERVICE_INCIDENTS_DB', value: incidentsDatabase }, main),
    storeElsewhere({ variable: 'SERVICE_CONTEXT_DB', value: contextDatabase }, main),
  ])
  return {
    logs: { ...logsSchema, location: logs },
    incidents: { ...incidentsSchema, location: incidents },
    context: { ...contextSchema, location: context },
  } satisfies Record<string, PlacedSchema>
}

const megabyte = 1024 * 1024

type Tables = CatalogueTables &
  TaskTables &
  SharedCatalogueTables &
  OverlayTables &
  CheckpointTables &
  CollectStateTables &
  OutboxTables &
  AddedSourcesTables &
  SettingTables &
  VectorTables &
  TemplateTables &
  HostKeyTables &
  SshTargetTables &
  ScoringTables &
  BlocklistTables

/** The log service: rows in its store, entries where replicas share them or in a folder of its own, threads that start with the first work. */
export const createLogsService = async (options: LogsServiceOptions): Promise<LogsService> => {
  const { config, dataDirectory, store: location = { dataDirectory }, bus, log, now = Date.now } = options
  const isShared = options.filesLocation !== undefined
  await using opened = new AsyncDisposableStack()
  const schemas = logsSchemas(config, location)
  const openPlaced = async <Rows>({ location: place, ...schema }: PlacedSchema) =>
    opened.use(await openStore<Rows>({ ...place, ...schema, log }))
  const store = await openPlaced<Tables>(schemas.logs)
  const leases = createLeases({ db: store.db, now })
  if (!isShared) await leases.clear()
  const { db: incidentRows } = await openPlaced<AllIncidentTables>(schemas.incidents)
  // Before anything is read: what comes in is read with them.
  const formats = opened.use(
    await openUserFormats({ directory: config.formatsDirectory ?? join(dataDirectory, 'formats'), log }),
  )
  const tasks = opened.use(createTasks({ db: store.db, bus, now, isShared }))
  /** What the engine is at ends with it, and has its end written before the tasks are let go of. */
  let settle: () => Promise<unknown> = async () => undefined
  opened.defer(async () => void (await settle()))
  const patterns = opened.use(
    await openPatterns({ directory: config.patternsDirectory ?? join(dataDirectory, 'patterns'), log }),
  )
  const { engine: own, tail, version } = opened.use(await openEngine(options, store))
  const directory = options.branches && opened.use(createBranchDirectory({ ...options.branches, log }))
  const shared =
    directory && createSharedSearch({ own, directory, waitMilliseconds: config.branchWaitMilliseconds, log })
  const overlays = createOverlays(store.db)
  const outlived = createOutlivedDetections(store.db)
  const mayBeElsewhere = async () => ((await directory?.active()) ?? []).length > 0
  const noted = noteArrivals(createOverlaidEngine(shared?.engine ?? own, overlays, outlived))
  const { engine } = noted
  const arrivals = createArrivalMark({ countHere: () => noted.count, version, directory })
  const { semantic, vectors } = opened.use(createMeanings({ config, db: store.db, engine, now, log }))
  const context = createContextBase({
    db: (await openPlaced<ContextTables>(schemas.context)).db,
    now,
    ...(vectors && {
      similarity: createSimilarity({
        vectors,
        waitMilliseconds: config.semanticWaitMilliseconds,
        onProblem: (error) => log.error({ err: error }, 'the context could not be ranked by meaning'),
      }),
    }),
  })
  const ssh = opened.use(openSsh({ config, dataDirectory, db: store.db, now }))
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('The log service is ending.')))
  await tasks.recover()
  const upstream = opened.use(createUpstream({ blockPrivate: config.blockPrivateUpstreams }))
  const pressure = createPressure(config.pushedMegabytes * megabyte)
  const sourcesFile = createSourcesFile({
    path: config.sourcesFile ?? join(dataDirectory, 'sources.yaml'),
    lockDirectory: join(dataDirectory, 'sources-lock'),
  })
  const sources = isShared ? createSharedSources({ given: sourcesFile, db: store.db }) : sourcesFile
  const settings = await openSettings({ config, db: store.db, ...(!isShared && { dataDirectory }), now })
  const collecting = opened.use(
    await createCollecting({
      config,
      db: store.db,
      leases,
      isShared,
      engine,
      collectors: {
        local: {
          file: createFileCollector({ mostExpandedBytes: config.maximumExpandedMegabytes * megabyte, now }),
          journald: createJournalCollector({ now }),
          docker: createContainerCollector({ now }),
          podman: createContainerCollector({ now }),
        },
        ssh: createSshCollector({ connections: ssh.connections, addressOf: ssh.targets.addressOf, now }),
      },
      sources,
      tasks,
      bus,
      upstream,
      now,
      log,
    }),
  )
  const scoring = opened.use(
    createScoring({
      config,
      db: store.db,
      leases,
      engine,
      overlays,
      arrivals,
      now,
      log,
    }),
  )
  const scorerRuns = createScorerRuns({ db: store.db, leases, tasks, signal: ending.signal, log })
  const blocklist = opened.use(openBlocklist({ db: store.db, leases, engine, settings, upstream, log }))
  const world: World = {
    config,
    engine,
    overlays,
    semantic,
    branches: shared,
    requireBranch: createRequireBranch(directory),
    tasks,
    sources,
    pressure,
    formats,
    spool: createSpool({ directory: join(dataDirectory, 'spool'), mostBytes: config.spoolMegabytes * megabyte }),
    bus,
    upstream,
    settings,
    context: context.knowledge,
    patterns,
    log,
    now,
    signal: ending.signal,
  }
  const incidents = opened.use(
    openIncidents(world, {
      db: incidentRows,
      leases,
      arrivals,
    }),
  )
  const keeping = createKeeping({
    config,
    engine,
    sources,
    overlays,
    detections: outlived,
    mayBeElsewhere,
    now,
    onFreed: (freed) => log.info(freed, 'entries that were kept long enough are gone'),
    onProblem: (error) => log.error({ err: error }, 'entries that were kept long enough could not be let go'),
  })
  const keepingOn = keeping.run(ending.signal)
  const vacuum = createVacuum({ tasks, keeping })
  const handlers: Handlers<typeof LogsServiceDefinition> = {
    ...ingestRpc(world),
    ...searchRpc(world),
    ...tailRpc(world, tail),
    ...diagnoseRpc(world),
    ...sourcesRpc(world),
    ...orchardRpc(directory),
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
  settle = () => Promise.all([keepingOn, vacuum.settled()])
  const stack = opened.move()
  return {
    implementations: [
      implementation(LogsServiceDefinition, handlers),
      implementation(TemplatesServiceDefinition, templatesRpc(world)),
      incidents.implementation,
      implementation(SettingsServiceDefinition, settingsRpc({ settings })),
      implementation(MediaMonitorServiceDefinition, mediaMonitorRpc(world)),
      implementation(BlocklistServiceDefinition, blocklistRpc(blocklist)),
      implementation(ContextServiceDefinition, contextRpc(context)),
      implementation(CollectServiceDefinition, collectRpc(collecting)),
      implementation(FormatsServiceDefinition, formatsRpc(world)),
      implementation(SshTargetsServiceDefinition, sshTargetsRpc(ssh)),
      implementation(ScoringServiceDefinition, scoringRpc(scoring, scorerRuns)),
      implementation(EntriesServiceDefinition, entriesRpc(world, vacuum)),
      implementation(SetupServiceDefinition, setupRpc(world, ssh)),
      branchDirectoryRpc(directory),
    ],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
