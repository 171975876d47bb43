import { execFileSync } from 'node:child_process'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import {
  type Client,
  createReflector,
  createRuntimeMetrics,
  createStore,
  type KubeObject,
  resource,
  systemClock,
} from '../../src/runtime/mod.ts'
import { connectAs } from '../api-server.ts'
import { findControlPlane, startControlPlane } from '../control-plane.ts'

/**
 * Measures the runtime against a real kube-apiserver on this machine, which shares its cores: requests per second compared with
 * client-node's API, a list and a watch of many objects, their memory, and the cost of importing the runtime.
 * `node --expose-gc operator/test/bench/runtime.ts [objects]`
 */

const objects = Number(process.argv[2] ?? 10_000)
const namespace = 'default'
type ConfigMap = KubeObject & { data?: Record<string, string> }

const configMaps = resource<ConfigMap>({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
})

const programs = findControlPlane()
if (typeof programs === 'string') throw new Error(programs)

const printLine = (what: string, value: number, unit: string) =>
  process.stdout.write(`${what.padEnd(64)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}\n`)

/** Calls per second with `atATime` concurrent calls. */
const rate = async (calls: number, atATime: number, call: () => Promise<unknown>): Promise<number> => {
  let left = calls
  const began = performance.now()
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await call()
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker))
  return (calls / (performance.now() - began)) * 1_000
}

const measureImport = (what: string, code: string) => {
  const script = `const t = performance.now(); ${code}; console.log(JSON.stringify([performance.now() - t, process.memoryUsage().rss / 1048576]))`
  const runs = Array.from({ length: 5 }, () => {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname })
    return JSON.parse(output.toString()) as [number, number]
  }).sort((a, b) => a[0] - b[0])
  const [milliseconds = 0, megabytes = 0] = runs[2] ?? []
  printLine(`${what}: time`, milliseconds, 'ms')
  printLine(`${what}: resident`, megabytes, 'MiB')
}

const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const reflect = (client: Client) => {
  const store = createStore<ConfigMap>()
  const metrics = createRuntimeMetrics(createMetrics({ processMetrics: false }))
  const parts = { client, store, clock: systemClock, random: Math.random, log: silentLog, metrics }
  const reflector = createReflector({ ...parts, name: 'configmaps', resource: configMaps, selection: { namespace } })
  const stop = new AbortController()
  const running = reflector.run(stop.signal)
  const end = () => {
    stop.abort()
    return running
  }
  return { store, reflector, end }
}

measureImport('nothing imported', '')
measureImport('import of the runtime', "await import('../../src/runtime/mod.ts')")
measureImport(
  'the same, with a configuration loaded',
  "const { loadConfig } = await import('../../src/runtime/mod.ts'); await loadConfig()",
)

await using plane = await startControlPlane(programs)
const kubeconfig = plane.kubeconfig()
await using client = connectAs(kubeconfig)
const config = new KubeConfig()
config.loadFromString(kubeconfig)
const typed = config.makeApiClient(CoreV1Api)

const name = 'one'
await client.create(configMaps, { metadata: { name, namespace }, data: { x: 'y' } })
const get = () => client.get(configMaps, { name, namespace })
const getTyped = () => typed.readNamespacedConfigMap({ name, namespace })
await rate(200, 4, get)
printLine('GET, one at a time, ours', await rate(2_000, 1, get), '/s')
printLine("GET, one at a time, client-node's", await rate(300, 1, getTyped), '/s')
printLine('GET, 16 at a time, ours', await rate(4_000, 16, get), '/s')
printLine("GET, 16 at a time, client-node's", await rate(600, 16, getTyped), '/s')

const payload = 'x'.repeat(2_000)
let made = 0
const create = () => {
  made += 1
  const metadata = { name: `many-${made}`, namespace }
  return client.create(configMaps, { metadata, data: { payload } })
}
const watching = reflect(client)
await watching.reflector.synced()
printLine('creations of 2 KB, 16 at a time, watched', await rate(objects, 16, create), '/s')
while (watching.store.size < objects) await systemClock.sleep(5)
await watching.end()
watching.store.replace({ objects: [], version: '0', initial: false })

const began = performance.now()
const listing = reflect(client)
await listing.reflector.synced()
printLine(`list of ${listing.store.size} objects, in pages of 500, into the store`, performance.now() - began, 'ms')
await listing.end()
const count = listing.store.size
const full = heap()
listing.store.replace({ objects: [], version: '0', initial: false })
printLine(`heap that ${count} cached objects take, with their indexes`, (full - heap()) / 1_048_576, 'MiB')

const stop = new AbortController()
const { resourceVersion } = await client.list(configMaps, { namespace, limit: 1 })
await rate(objects, 16, () => {
  made -= 1
  const body = { data: { payload: `${payload}!` } }
  return client.patch(configMaps, { name: `many-${made + 1}`, namespace }, { type: 'merge', body })
})
const replayed = performance.now()
let seen = 0
const options = { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal }
for await (const event of await client.watch(configMaps, options)) {
  if (event.type === 'ERROR') throw new Error(`The watch could not begin: ${JSON.stringify(event.object)}`)
  seen += 1
  if (seen === objects) break
}
printLine(`events of 2 KB replayed to a watch (${seen})`, (seen / (performance.now() - replayed)) * 1_000, '/s')
stop.abort()
