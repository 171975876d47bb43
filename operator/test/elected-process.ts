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
 * A process that tests start: one of several candidates for leadership. The leader creates a ConfigMap every 20 ms, labelled with
 * its name. It prints `leading` on standard output and exits with 3 after it has lost the lease. SIGUSR2 makes it stop itself
 * between two writes, because a write that is already in the kernel cannot be recalled.
 */
type Options = {
  kubeconfig: string
  identity: string
  namespace: string
  times: { lease: number; renew: number; retry: number }
}

const { ELECTED_PROCESS_OPTIONS: options } = process.env
// Without options it would use the default cluster of this machine's user.
if (!options) throw new Error('ELECTED_PROCESS_OPTIONS is not set: this process is meant to be started by a test.')
const { kubeconfig, identity, namespace, times } = JSON.parse(options) as Options

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
/** Stops the process and returns after SIGCONT, before any timer of the process fires. */
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
      // A refused write must not stop this loop: the test checks that the guard stops a former leader from writing.
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
