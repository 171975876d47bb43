import { connectNatsBus } from '@trellis/kit/bus'
import { type Running, runProcess } from '@trellis/kit/process'
import { serveGrpc } from '@trellis/kit/rpc'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import { prepareWorkerTopics } from '@trellis/kit/workloads'
import { branchKind } from './branch/mod.ts'
import { type OperatorConfig, printOperatorConfig, readOperatorConfig } from './config.ts'
import { generationKind } from './generation-job/mod.ts'
import { createOperator } from './operator.ts'
import { createCredentials, createHttpClient, createRuntimeMetrics, loadConfig, systemClock } from './runtime/mod.ts'
import { searchKind } from './search/mod.ts'
import { label, readWorkerTemplates } from './workers/mod.ts'

/**
 * Runs until it is disposed of: it then takes no more calls, drains running work, and releases the lease last. A
 * permanent failure, such as losing the lease, exits the process at once: another replica may act from then on.
 */
const start = async (config: OperatorConfig, { log, metrics }: { log: Log; metrics: Metrics }): Promise<Running> => {
  const templates = readWorkerTemplates(config.workersFile)
  await using opened = new AsyncDisposableStack()
  const bus = opened.use(await connectNatsBus({ ...config.bus, name: 'trellis-operator', log }))
  // A failure here exits the process, as a failed connection does; Kubernetes restarts it.
  await prepareWorkerTopics(bus)
  const credentials = createCredentials(() => loadConfig({ environment: process.env }), systemClock)
  const runtimeMetrics = createRuntimeMetrics(metrics)
  const client = opened.use(createHttpClient({ credentials, metrics: runtimeMetrics }))
  const leaseClient = opened.use(createHttpClient({ credentials, metrics: runtimeMetrics, lane: 'leases' }))
  const { own, base, namespaces } = config
  const { instance, namespace, maxRuns, maxQueued, runTtlSeconds, searchUsers, edgeUrl, branchStorageClass } = own
  const { manager, implementations, attend } = createOperator(
    {
      client,
      bus,
      log,
      metrics,
      runtimeMetrics,
      namespaces,
      election: { client: leaseClient },
      health: { host: base.host, port: own.healthPort, hosts: base.metricsHosts },
      drain: own.shutdownSeconds * 1_000,
    },
    {
      instance,
      namespace,
      templates,
      maxRuns,
      maxQueued,
      runTtlSeconds,
      ownLabels: { [label.partOf]: 'trellis', [label.instance]: instance },
    },
    [
      searchKind({ allowedUsers: searchUsers }),
      generationKind(),
      branchKind({
        template: templates.branch,
        edgeUrl,
        ...(branchStorageClass === undefined ? {} : { storageClass: branchStorageClass }),
      }),
    ],
  )

  const stop = new AbortController()
  const attending = attend(stop.signal)
  const running = manager.run(stop.signal).catch((error: unknown) => {
    log.error({ err: error }, 'the operator cannot go on')
    process.exit(1)
  })
  opened.defer(async () => {
    stop.abort()
    await running
    await attending
  })
  await manager.filled()
  const server = opened.use(
    await serveGrpc(implementations, {
      address: config.own.rpcAddress,
      security: config.security,
      drainMilliseconds: config.own.shutdownSeconds * 1_000,
      onInternal: (error, { requestId }) => log.error({ err: error, requestId }, 'a call failed by a fault of ours'),
    }),
  )
  const stack = opened.move()
  return {
    readyLine: `Trellis operator is ready at ${server.address}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

await runProcess({
  read: readOperatorConfig,
  print: printOperatorConfig,
  start,
  environment: process.env,
  words: process.argv.slice(2),
})
