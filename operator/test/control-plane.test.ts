import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { modulePath } from '@trellis/test/support/module-path'
import { type NodeProcess, startNode } from '@trellis/test/support/node-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serviceAccountAccess } from '../src/runtime/client/service-account.ts'
import {
  type Client,
  createCredentials,
  createHttpClient,
  createRecorder,
  createReflector,
  createRuntimeMetrics,
  createStore,
  events,
  isConflict,
  isExpired,
  type KubeObject,
  leases,
  loadConfig,
  resource,
  systemClock,
  type WatchEvent,
} from '../src/runtime/mod.ts'
import { connectAs, newNamespace } from './api-server.ts'
import { testClientContract } from './client-contract.ts'
import { type ControlPlane, findControlPlane, startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'

const electedProcess = await modulePath('operator/test/elected-process.ts')

type ConfigMap = KubeObject & { data?: Record<string, string> }

const configMaps = resource<ConfigMap>({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
})
const secrets = resource({ group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true })
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true }
const roles = resource<KubeObject & { rules: object[] }>({ ...rbac, plural: 'roles', kind: 'Role' })
const roleBindings = resource<KubeObject & { roleRef: object; subjects: object[] }>({
  ...rbac,
  plural: 'rolebindings',
  kind: 'RoleBinding',
})
const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

describe.skipIf(typeof programs === 'string')(`on a real kube-apiserver${reason}`, () => {
  let plane: ControlPlane
  let client: Client & AsyncDisposable
  let namespace = ''

  const connect = (user?: string) => connectAs(plane.kubeconfig(user))

  beforeAll(async () => {
    if (typeof programs === 'string') return
    plane = await startControlPlane(programs, { users: [{ name: 'restricted' }] })
    client = connect()
    namespace = await newNamespace(client)
  })

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await plane?.[Symbol.asyncDispose]()
  })

  const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace }, data })

  describe('the contract shared with the simulated server', () => {
    testClientContract(() => ({ client, namespace }))
  })

  test("server-side apply leaves other managers' fields, drops omitted fields, and needs force to take over", async () => {
    const ref = { name: 'applied', namespace }
    const apply = (fieldManager: string, data: Record<string, string>, force = false) =>
      client.patch(configMaps, ref, { type: 'apply', body: { metadata: ref, data }, fieldManager, force })
    await apply('one', { a: '1', b: '1' })
    await apply('two', { c: '2' })
    expect((await apply('one', { a: '1' })).data).toEqual({ a: '1', c: '2' })
    await expect(apply('two', { a: '2', c: '2' })).rejects.toSatisfy(isConflict)
    expect((await apply('two', { a: '2', c: '2' }, true)).data).toEqual({ a: '2', c: '2' })
  })

  test('recorded events are accepted, and repetitions are counted in a series', async () => {
    const held = await client.create(configMaps, configMap('eventful'))
    const metrics = createRuntimeMetrics(createMetrics({ processMetrics: false }))
    const recorder = createRecorder({
      client,
      controller: 'example.test/widget',
      instance: 'host_1',
      clock: systemClock,
      log: silentLog,
      metrics,
    })
    const occurrence = { type: 'Warning', reason: 'Failed', action: 'Start', note: 'It did not start.' } as const
    for (let count = 0; count < 2; count += 1) recorder.record(configMaps, held, occurrence)
    await recorder.flush()
    const found = (await client.list(events, { namespace })).items.filter(
      ({ regarding }) => regarding.name === 'eventful',
    )
    expect(found).toMatchObject([{ reason: 'Failed', note: 'It did not start.', series: { count: 2 } }])
  })

  test('a user with rights to one kind in one namespace reads it and gets 403 for the rest', async () => {
    await using restricted = connect('restricted')
    await expect(restricted.list(configMaps, { namespace })).rejects.toMatchObject({ status: 403, reason: 'Forbidden' })
    const name = 'reader'
    await client.create(roles, {
      metadata: { name, namespace },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
    })
    await client.create(roleBindings, {
      metadata: { name, namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'restricted' }],
    })
    await using stop = reflect(restricted, { namespace })
    await stop.reflector.synced()
    await client.create(configMaps, configMap('seen'))
    await eventually(() => stop.store.get(`${namespace}/seen`) !== undefined, 'the watch reports it')
    await expect(restricted.create(configMaps, configMap('mine'))).rejects.toMatchObject({ status: 403 })
    await expect(restricted.list(secrets, { namespace })).rejects.toMatchObject({ status: 403 })
  })

  /** A reflector of ConfigMaps that runs until it is disposed. */
  const reflect = (with_: Client, selection: { namespace?: string; labelSelector?: string } = {}) => {
    const store = createStore<ConfigMap>({ freeze: true })
    const metrics = createMetrics({ processMetrics: false })
    const reflector = createReflector<ConfigMap>({
      name: 'configmaps',
      client: with_,
      resource: configMaps,
      selection,
      store,
      clock: systemClock,
      random: Math.random,
      log: silentLog,
      metrics: createRuntimeMetrics(metrics),
      pageSize: 3,
      backoff: { initial: 20, max: 200, jitter: 0 },
    })
    const stop = new AbortController()
    const running = reflector.run(stop.signal)
    return {
      store,
      reflector,
      metrics,
      [Symbol.asyncDispose]: async () => {
        stop.abort()
        await running
      },
    }
  }

  const counted = async ({ metrics }: ReturnType<typeof reflect>, name: string) =>
    Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(await metrics.render())?.[1] ?? 0)

  test('a store follows creations, changes, deletions, and objects that enter or leave its selection', async () => {
    const within = await newNamespace(client)
    await using all = reflect(client, { namespace: within })
    await using red = reflect(client, { namespace: within, labelSelector: 'colour=red' })
    await Promise.all([all.reflector.synced(), red.reflector.synced()])
    const ref = { name: 'a', namespace: within }
    const paint = (colour: string) =>
      client.patch(configMaps, ref, { type: 'merge', body: { metadata: { labels: { colour } } } })
    await client.create(configMaps, { metadata: ref, data: { x: '1' } })
    await eventually(() => all.store.size === 1, 'the creation is seen')
    expect(red.store.size).toBe(0)
    await paint('red')
    await eventually(() => red.store.size === 1, 'it enters the selection')
    await paint('blue')
    await eventually(() => red.store.size === 0, 'it leaves the selection')
    await paint('red')
    await eventually(() => red.store.size === 1, 'it comes back')
    await client.delete(configMaps, ref)
    await eventually(() => all.store.size === 0 && red.store.size === 0, 'the deletion is seen')
    expect(await counted(all, 'reflector_lists_total')).toBe(1)
  })

  test('a compacted version is answered 410', async () => {
    const { resourceVersion } = await client.list(configMaps, { namespace })
    for (const count of [1, 2, 3]) await client.create(configMaps, configMap(`compacted-${count}`))
    await plane.compact()
    // The apiserver answers from its watch cache, which a restart empties.
    await plane.apiserver.stop('SIGKILL')
    await plane.apiserver.start()
    const read = async () => {
      const stop = new AbortController()
      const watch = await client.watch(configMaps, {
        namespace,
        resourceVersion,
        timeoutSeconds: 30,
        signal: stop.signal,
      })
      for await (const event of watch as AsyncIterable<WatchEvent<ConfigMap>>)
        if (event.type === 'ERROR') throw Object.assign(new Error('event'), event.object)
        else break
      stop.abort()
    }
    await expect(read()).rejects.toSatisfy((error) => isExpired(error) || (error as { code?: number }).code === 410)
  })

  test('a store survives restarts of the apiserver, also one during which its version is compacted', async () => {
    const within = await newNamespace(client)
    await using it = reflect(client, { namespace: within })
    await it.reflector.synced()
    const create = (name: string) => client.create(configMaps, { metadata: { name, namespace: within }, data: {} })
    await create('before')
    await eventually(() => it.store.size === 1, 'the first is seen')
    for (const [name, isCompacted] of [
      ['killed', false],
      ['compacted', true],
    ] as const) {
      await plane.apiserver.stop('SIGKILL')
      if (isCompacted) await plane.compact()
      await plane.apiserver.start()
      await create(name)
      await eventually(() => it.store.get(`${within}/${name}`) !== undefined, `${name} is seen`)
    }
    await client.delete(configMaps, { name: 'before', namespace: within })
    await eventually(() => it.store.size === 2, 'the deletion is seen')
    expect(await counted(it, 'reflector_watches_total')).toBeGreaterThan(2)
  })

  test('a pod reaches the API server with its service account', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'trellis-service-account-'))
    try {
      await writeFile(join(directory, 'token'), plane.token('administrator'))
      await writeFile(join(directory, 'ca.crt'), plane.ca)
      const { hostname, port } = new URL(plane.server)
      const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
      const read = serviceAccountAccess(environment, directory)
      if (!read) throw new Error('The service account was not found.')
      await using inPod = createHttpClient({ credentials: createCredentials(async () => read, systemClock) })
      expect((await inPod.list(configMaps, { namespace })).resourceVersion).toBeTruthy()
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  test('a running client picks up a certificate authority replaced in its file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'trellis-authority-'))
    try {
      const authority = join(directory, 'ca.crt')
      await writeFile(authority, rootCertificates[0] ?? '')
      const config = JSON.parse(plane.kubeconfig())
      config.clusters[0].cluster = { server: plane.server, 'certificate-authority': authority }
      let later = 0
      const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + later }
      const credentials = createCredentials(() => loadConfig({ kubeconfig: JSON.stringify(config) }), clock)
      const retry = { initial: 1, max: 1, attempts: 1, longestRest: 0 }
      await using running = createHttpClient({ credentials, clock, retry })
      await expect(running.list(configMaps, { namespace, limit: 1 })).rejects.toMatchObject({ maybeSent: false })
      await writeFile(authority, plane.ca)
      later = 10_000
      expect((await running.list(configMaps, { namespace })).resourceVersion).toBeTruthy()
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  describe('with two candidate processes', () => {
    const times = { lease: 4_000, renew: 2_500, retry: 300 }
    const running = new Set<NodeProcess>()

    const start = (identity: string, within: string) => {
      const options = JSON.stringify({ kubeconfig: plane.kubeconfig(), identity, namespace: within, times })
      const started = startNode(electedProcess, { environment: { ...process.env, ELECTED_PROCESS_OPTIONS: options } })
      running.add(started)
      void started.gone.then(() => running.delete(started))
      return { ...started, leads: () => started.output().out.includes('leading') }
    }

    afterAll(() => {
      for (const one of running) void one.end('SIGKILL')
    })

    /** The writers of marks in write order, with consecutive marks by one writer collapsed. */
    const writers = async (within: string) => {
      const marks = (await client.list(configMaps, { namespace: within, labelSelector: 'by' })).items
        .map(({ metadata }) => ({ by: metadata.labels?.by ?? '', version: Number(metadata.resourceVersion) }))
        .sort((a, b) => a.version - b.version)
      return marks.map(({ by }) => by).filter((by, at, all) => by !== all[at - 1])
    }

    const leaseOf = (within: string) => client.get(leases, { namespace: within, name: 'operator' })

    const pair = async () => {
      const within = await newNamespace(client)
      const first = start('first', within)
      await eventually(first.leads, 'the first leads')
      await eventually(async () => (await writers(within)).length === 1, 'the first writes')
      const second = start('second', within)
      return { within, first, second }
    }

    test('the second process leads only after the first is killed with SIGKILL', async () => {
      const { within, first, second } = await pair()
      expect(second.leads()).toBe(false)
      first.child.kill('SIGKILL')
      await eventually(second.leads, 'the second leads')
      await eventually(async () => (await writers(within)).length === 2, 'the second writes')
      expect(await writers(within)).toEqual(['first', 'second'])
      expect((await leaseOf(within)).spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 })
      expect(await second.end()).toBe(0)
    })

    test('a stopped process that resumes after the other leads writes nothing and exits', async () => {
      const { within, first, second } = await pair()
      first.child.kill('SIGUSR2')
      await eventually(second.leads, 'the second leads')
      await eventually(async () => (await writers(within)).length === 2, 'the second writes')
      first.child.kill('SIGCONT')
      expect(await first.gone).toBe(3)
      expect(await second.end()).toBe(0)
      expect(await writers(within)).toEqual(['first', 'second'])
    })

    test('a process that gets SIGTERM releases the lease', async () => {
      const within = await newNamespace(client)
      const first = start('first', within)
      await eventually(first.leads, 'the first leads')
      expect(await first.end()).toBe(0)
      const { spec } = await leaseOf(within)
      expect(spec?.holderIdentity).toBeUndefined()
      expect(spec?.renewTime).toMatch(/\.\d{6}Z$/)
    })
  })
})
