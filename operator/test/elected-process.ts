import { createLog, createMetrics } from '@trellis/kit/telemetry'
import {
  createCredentials,
  createHttpClient,
  createManager,
  createRuntimeMetrics,
  done,
  type KubeObject,
  LeadershipLost,
  loadConfig,
  resource,
  systemClock,
} from '../src/runtime/mod.ts'

/**
 * A process that tests start: one of several that stand for election. The one that leads leaves a ConfigMap every 20 ms,
 * labelled with its name. It says `leading` on standard output, and ends with 3 when it has lost the lease. SIGUSR2 makes
 * it stop itself between two writes: one that is just then handed to the kernel could be called back by nobody.
 */
type Orders = {
  kubeconfig: string
  identity: string
  namespace: string
  times: { lease: number; renew: number; retry: number }
}

const { ORDERS } = process.env
// Without orders it would go to whatever cluster the person at this machine uses.
if (!ORDERS) throw new Error('This process is started by a test, which gives it ORDERS.')
const { kubeconfig, identity, namespace, times } = JSON.parse(ORDERS) as Orders

const configMaps = resource<KubeObject>({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
let isToRest = false
process.once('SIGUSR2', () => (isToRest = true))
/** Returns when the process was woken, before anything else of it is told that time has passed. */
const rest = () => {
  isToRest = false
  const begun = systemClock.monotonic()
  process.kill(process.pid, 'SIGSTOP')
  while (systemClock.monotonic() - begun < 100);
}

const credentials = createCredentials(() => loadConfig({ kubeconfig }), systemClock)
await using client = createHttpClient({ credentials })
await using leaseClient = createHttpClient({ credentials, lane: 'leases' })
const manager = createManager({
  name: 'test',
  client,
  log: createLog({ level: 'warn', format: 'json', destination: process.stderr }),
  metrics: createRuntimeMetrics(createMetrics({ processMetrics: false })),
  election: { client: leaseClient, namespace, name: 'operator', identity, times },
})
const marks = manager.controller({
  name: 'marks',
  reconcile: async () => {
    process.stdout.write('leading\n')
    for (;;) {
      if (stop.signal.aborted) return done
      // A refused write is no reason to stop: it must be the guard that keeps a loser from writing.
      await manager.client
        .create(configMaps, { metadata: { generateName: 'mark-', namespace, labels: { by: identity } } })
        .catch(() => undefined)
      await systemClock.sleep(20)
      if (isToRest) rest()
    }
  },
})
marks.queue.add('marks')

try {
  await manager.run(stop.signal)
} catch (error) {
  if (!(error instanceof LeadershipLost)) throw error
  process.exit(3)
}
