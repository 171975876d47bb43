import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNatsServer, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { searches } from '@trellis/operator/crds'
import type { Client } from '@trellis/operator/runtime'
import { pods } from '../../../operator/src/workers/mod.ts'
import { namespaces } from '../../../operator/test/api-server.ts'
import { connectApi, forEach, listAll } from './api.ts'
import { startFakeNodes } from './fake-nodes.ts'
import { bundleOperator, type OperatorProcess, readOperatorSettings, startOperator } from './operator-process.ts'
import { createProcessAccount } from './service-account.ts'

/** A namespace on the cluster whose workers run on a fake node, with a bus, and operator replicas on demand. */
export type ScaleTestbed = AsyncDisposable & {
  client: Client
  namespace: string
  bus: Bus
  /** Starts a replica without waiting until it is ready. */
  start: () => Promise<OperatorProcess>
}

/** Deletes the contents of a namespace at once, and the namespace. */
const clear = async (client: Client, namespace: string): Promise<void> => {
  const at = { namespace }
  // Fake pods do not terminate by themselves once kwok no longer plays their node.
  await forEach(await listAll(client, searches, namespace), 16, ({ metadata }) =>
    client.delete(searches, metadata, { propagationPolicy: 'Orphan' }),
  )
  await forEach(await listAll(client, pods, namespace), 16, ({ metadata: { name } }) =>
    client.delete(pods, { ...at, name }, { gracePeriodSeconds: 0 }).catch(() => undefined),
  )
  await client.delete(namespaces, { name: namespace })
}

export const startScaleTestbed = async (maxRuns: number): Promise<ScaleTestbed> => {
  await using opened = new AsyncDisposableStack()
  const name = `trellis-bench-${randomBytes(3).toString('hex')}`
  const client = opened.use(connectApi())
  const { placement } = opened.use(await startFakeNodes(client, name))
  await client.create(namespaces, { metadata: { name } })
  opened.defer(() => clear(client, name))
  const nats = opened.use(await startNatsServer({ command: findNatsServer(process.env) }))
  const bus = opened.use(await connectNatsBus({ servers: [nats.address], name: 'bench', log: silentLog }))
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const template = { image: 'fake', command: ['worker'], ...placement }
  const program = await bundleOperator(join(directory, 'app'))
  const settings = await readOperatorSettings()
  const account = opened.use(await createProcessAccount(client, name))
  const file = join(directory, 'workers.json')
  await writeFile(file, JSON.stringify({ search: template, generation: template, branch: template }))
  const operators = opened.use(new AsyncDisposableStack())
  const owned = opened.move()
  return {
    client,
    namespace: name,
    bus,
    start: async () =>
      operators.use(
        await startOperator(program, settings, account, {
          TRELLIS_WORKERS: file,
          NATS_URL: nats.address,
          POD_NAMESPACE: name,
          MAXIMUM_RUNS: String(maxRuns),
        }),
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
