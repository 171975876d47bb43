import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createLocalBranches } from '@trellis/branch'
import { branchIngestProxy, createEdge, sessionCheck } from '@trellis/edge'
import { createMemoryBus } from '@trellis/kit/bus'
import { openDirectoryFiles } from '@trellis/kit/files'
import { connectInProcess } from '@trellis/kit/rpc'
import { isPostgres, lockDataDirectory, migrateStore } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { createLocalWorkloads, measureWorkloads } from '@trellis/kit/workloads'
import { createListingsService, listingsSchema, searchWorker } from '@trellis/listings'
import { createLogsService, logsSchemas } from '@trellis/logs'
import { createMusicService, generationWorker, musicSchema } from '@trellis/music'
import openapi from '@trellis/protos/edge/openapi.json' with { type: 'json' }
import { routes } from '@trellis/protos/edge/routes.ts'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { SessionsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/session.ts'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { internalClient, toBackends } from './backends.ts'
import type { AllConfig } from './config.ts'

/**
 * Composes all of Trellis in one process: every port in its embedded implementation, every service behind the edge. Disposal ends it in
 * reverse order: streams and requests first, then the services, then their dependencies.
 */
export const composeTrellis = async (
  config: AllConfig,
  { log, metrics, isReady = () => true }: { log: Log; metrics: Metrics; isReady?: () => boolean },
) => {
  await using opened = new AsyncDisposableStack()
  const { store } = config
  const { dataDirectory } = config.base
  opened.use(await lockDataDirectory(dataDirectory))
  const filesLocation = { kind: 'directory', path: join(dataDirectory, 'files') } as const
  const files = await openDirectoryFiles(filesLocation.path)
  const bus = opened.use(createMemoryBus())
  const audioWorker = generationWorker({
    files: filesLocation,
    workers: config.music.workers,
    memoryMegabytes: config.music.workerMegabytes,
    modelRuntime: config.music,
  })
  const runtime = opened.use(
    createLocalWorkloads({
      bus,
      log,
      kinds: {
        WORKLOAD_SEARCH: searchWorker(config.listings),
        WORKLOAD_GENERATION: audioWorker,
      },
    }),
  )
  measureWorkloads(metrics, runtime.counts)
  const workloads = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
  // There is only one process per data directory, so it may migrate the schema at its start, unlike replicas.
  const schemas = [
    { ...listingsSchema, location: store },
    ...Object.values(logsSchemas(config.logs, store)),
    { ...musicSchema, location: store },
  ]
  for (const { location, ...schema } of schemas) {
    if (isPostgres(location)) await migrateStore(location, { ...schema, log })
  }
  const rpcSecret = randomBytes(24).toString('base64url')
  const branches = opened.use(
    await createLocalBranches({
      directory: join(dataDirectory, 'branches'),
      basePort: config.branches.basePort,
      limit: config.branches.limit,
      environment: {
        // Formats and patterns that the user adds to the logs service also apply to its branches.
        SERVICE_FORMATS_DIR: join(dataDirectory, 'formats'),
        SERVICE_PATTERNS_DIR: join(dataDirectory, 'patterns'),
        ...config.branches.environment,
        RPC_SECRET: rpcSecret,
      },
      onLine: (_slug, line) => void process.stdout.write(`${line}\n`),
      log: log.child({ part: 'branches' }),
    }),
  )
  const shared = { store, dataDirectory, bus, files, workloads, metrics }
  const listings = opened.use(
    await createListingsService({
      ...shared,
      config: config.listings,
      log: log.child({ part: 'listings' }),
    }),
  )
  const logs = opened.use(
    await createLogsService({
      ...shared,
      branches: {
        service: connectInProcess(BranchesServiceDefinition, branches.handlers),
        security: { secrets: [rpcSecret] },
      },
      config: config.logs,
      secretFiles: config.secretFiles,
      log: log.child({ part: 'logs' }),
    }),
  )
  const branchDirectory = internalClient(BranchDirectoryServiceDefinition, logs.implementations)
  const intake = opened.use(branchIngestProxy(branchDirectory, log.child({ part: 'edge' })))
  const music = opened.use(
    await createMusicService({
      ...shared,
      localWorker: audioWorker,
      config: config.music,
      log: log.child({ part: 'music' }),
    }),
  )
  const edge = opened.use(
    await createEdge({
      config: config.edge,
      routes,
      backends: [listings, logs, music]
        .flatMap(({ implementations }) => implementations.flatMap(toBackends))
        .concat(intake),
      isSessionEnded: sessionCheck(internalClient(SessionsServiceDefinition, logs.implementations)),
      openapi,
      missing: () => ({}),
      isReady,
      log: log.child({ part: 'edge' }),
      metrics,
    }),
  )
  const stack = opened.move()
  return { edge, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
