import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { asStarted } from '@trellis/test/support/as-started'
import { modulePath } from '@trellis/test/support/module-path'
import { type NodeProcess, startNode } from '@trellis/test/support/node-process'
import { natsCommand, natsMissing } from '@trellis/test/support/programs'
import { type InstalledKinds, installKinds } from '../src/crds/test-support.ts'
import type { Client } from '../src/runtime/mod.ts'
import { connectAs, newNamespace } from './api-server.ts'
import { findControlPlane } from './control-plane.ts'

const program = await modulePath('operator/src/main.ts')

/** A valid template. Its image is never pulled, because no kubelet runs here. */
export const workerTemplate = { image: 'example.test/worker:1', command: ['worker'] }

const programs = findControlPlane()

/** Why this machine cannot run the operator as a process, for the names of skipped tests; undefined where it can. */
export const serversMissing: string | undefined = typeof programs === 'string' ? programs : natsMissing

const running = new Set<NodeProcess>()

export const spawnOperator = (environment: Readonly<Record<string, string>>): NodeProcess => {
  const operator = startNode(program, {
    environment: { ...asStarted, PATH: process.env.PATH, METRICS_PORT: '0', LOG_FORMAT: 'json', ...environment },
  })
  running.add(operator)
  void operator.gone.then(() => running.delete(operator))
  return operator
}

/** A ready replica with its RPC address and the URLs of its health and metrics endpoints. */
export type OperatorReplica = NodeProcess & { address: string; health: string; metrics: string }

/** A real API server with our CRDs and a real NATS server, for operator processes. */
export type OperatorServers = AsyncDisposable & {
  installed: InstalledKinds
  client: Client
  bus: Bus
  newNamespace: () => Promise<string>
  /** Starts a replica for a namespace, with optional extra settings, and waits until it reports ready. */
  startOperator: (namespace: string, settings?: Readonly<Record<string, string>>) => Promise<OperatorReplica>
}

/** Starts the servers. Disposal also kills the replicas. */
export const startOperatorServers = async (): Promise<OperatorServers> => {
  if (typeof programs === 'string') throw new Error(programs)
  await using started = new AsyncDisposableStack()
  const installed = started.use(await installKinds(programs))
  const server = started.use(await startNatsServer({ command: natsCommand }))
  const bus = started.use(await connectNatsBus({ servers: [server.address], name: 'test', log: silentLog }))
  const client = started.use(connectAs(installed.kubeconfig))
  const directory = await mkdtemp(join(tmpdir(), 'trellis-operator-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  started.defer(() => {
    for (const operator of running) void operator.end('SIGKILL')
  })
  const templates = { search: workerTemplate, generation: workerTemplate, branch: workerTemplate }
  await writeFile(join(directory, 'kubeconfig'), installed.kubeconfig)
  await writeFile(join(directory, 'workers.json'), JSON.stringify(templates))

  const startOperator = async (namespace: string, settings: Readonly<Record<string, string>> = {}) => {
    const [rpcPort, healthPort, metricsPort] = [await freePort(), await freePort(), await freePort()]
    const address = `127.0.0.1:${rpcPort}`
    const operator = spawnOperator({
      KUBECONFIG: join(directory, 'kubeconfig'),
      TRELLIS_WORKERS: join(directory, 'workers.json'),
      NATS_URL: server.address,
      POD_NAMESPACE: namespace,
      RPC_ADDRESS: address,
      HEALTH_PORT: String(healthPort),
      METRICS_PORT: String(metricsPort),
      ...settings,
    })
    await operator.printed(/is ready at/)
    const [health, metrics] = [`http://127.0.0.1:${healthPort}`, `http://127.0.0.1:${metricsPort}/metrics`]
    return { ...operator, address, health, metrics }
  }

  const owned = started.move()
  return {
    installed,
    client,
    bus,
    newNamespace: () => newNamespace(client),
    startOperator,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
