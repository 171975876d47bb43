import { createLog, createMetrics, type Log, type Metrics, silentLog } from '@trellis/kit/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectAs, namespaces } from '../../test/api-server.ts'
import { type ControlPlane, findControlPlane, startControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import {
  type Client,
  type Clock,
  createRuntimeMetrics,
  type KubeObject,
  resource,
  systemClock,
} from '../runtime/mod.ts'
import { createGpuCapacity, type GpuCapacity } from './gpu-capacity.ts'
import { nodeResource } from './gpu-nodes.ts'
import { type GpuPod, gpuPodResource } from './gpu-pods.ts'
import { memoryLabel, productLabel } from './gpu-resources.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' }
type Role = KubeObject & { rules: object[] }
type Binding = KubeObject & { roleRef: object; subjects: object[] }
const roles = resource<Role>({ ...rbac, plural: 'roles', kind: 'Role', namespaced: true })
const roleBindings = resource<Binding>({ ...rbac, plural: 'rolebindings', kind: 'RoleBinding', namespaced: true })

const partOf = { 'app.kubernetes.io/part-of': 'trellis' }
const gpuLimit = { resources: { limits: { 'nvidia.com/gpu': '1' } } }
const container = { name: 'main', image: 'example.test/none', ...gpuLimit }

describe.skipIf(typeof programs === 'string')(`GPUs of a real kube-apiserver${reason}`, () => {
  let plane: ControlPlane
  let client: Client & AsyncDisposable

  const connect = (user?: string) => connectAs(plane.kubeconfig(user))

  /** Adds a node as a kubelet with a device plugin would; removes the initial taint, as no controller does so here. */
  const addNode = async (name: string) => {
    await client.create(nodeResource, {
      metadata: { name, labels: { [productLabel]: 'Tesla-T4', [memoryLabel]: '15360' } },
    })
    await client.patch(nodeResource, { name }, { type: 'merge', body: { spec: { taints: null } } })
    const status = { allocatable: { 'nvidia.com/gpu': '2' }, conditions: [{ type: 'Ready', status: 'True' }] }
    await client.patch(nodeResource, { name }, { type: 'merge', body: { status } }, { subresource: 'status' })
  }

  const addPod = (namespace: string, name: string, labels: Record<string, string>, nodeName?: string) =>
    client.create<GpuPod>(gpuPodResource, {
      metadata: { name, namespace, labels },
      spec: { containers: [container], ...(nodeName ? { nodeName } : {}) },
    })

  /** Runs the capacity with the permissions of a user until the callback returns. */
  const looking = async (
    user: string | undefined,
    look: (capacity: GpuCapacity) => Promise<void>,
    parts: { clock?: Clock; log?: Log; metrics?: Metrics } = {},
  ) => {
    await using seen = connect(user)
    const { clock = systemClock, log = silentLog, metrics = createMetrics({ processMetrics: false }) } = parts
    const capacity = createGpuCapacity({
      client: seen,
      clock,
      random: Math.random,
      log,
      metrics: createRuntimeMetrics(metrics),
      namespaces: ['ours'],
      ownLabels: partOf,
    })
    const stop = new AbortController()
    const running = capacity.run(stop.signal)
    try {
      await look(capacity)
    } finally {
      stop.abort()
      await running
    }
  }

  beforeAll(async () => {
    if (typeof programs === 'string') return
    plane = await startControlPlane(programs, { users: [{ name: 'narrow' }, { name: 'unprivileged' }] })
    client = connect()
    for (const name of ['ours', 'theirs']) await client.create(namespaces, { metadata: { name } })
    await addPod('ours', 'mine', partOf, 'one')
    await addPod('theirs', 'other', {}, 'one')
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }]
    await client.create(roles, { metadata: { name: 'narrow', namespace: 'ours' }, rules })
    await client.create(roleBindings, {
      metadata: { name: 'narrow', namespace: 'ours' },
      roleRef: { apiGroup: rbac.group, kind: 'Role', name: 'narrow' },
      subjects: [{ kind: 'User', name: 'narrow', apiGroup: rbac.group }],
    })
  })

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await plane?.[Symbol.asyncDispose]()
  })

  test('cost no watch of pods until a node has some', async () => {
    const metrics = createMetrics({ processMetrics: false })
    const listed = async () =>
      [...(await metrics.render()).matchAll(/reflector_lists_total\{name="([^"]+)"\}/g)].map(([, name]) => name)
    await looking(
      undefined,
      async ({ read }) => {
        await eventually(() => read().reasons.includes('No node of the cluster has a GPU.'), 'the nodes are known')
        expect(read()).toEqual({ classes: [], reasons: ['No node of the cluster has a GPU.'] })
        expect(await listed()).toEqual(['capacity-nodes'])
        await addNode('one')
        await eventually(() => read().classes[0]?.usedByOthers === 1, 'the pods are counted')
        expect(await listed()).toEqual(['capacity-nodes', 'capacity-pods'])
      },
      { metrics },
    )
  })

  test('are counted as nodes and pods come and go', async () => {
    await looking(undefined, async ({ read, offers }) => {
      expect(offers({ resource: 'nvidia.com/gpu', amount: 1 })).toBe(undefined)
      const first = { product: 'Tesla-T4', memoryMib: 15360, resource: 'nvidia.com/gpu', total: 2, free: 0 }
      await eventually(() => read().reasons.length === 0, 'nodes and pods are known')
      expect(read().classes).toEqual([{ ...first, usedByUs: 1, usedByOthers: 1 }])
      await addNode('two')
      await eventually(() => read().classes[0]?.total === 4, 'the second node is counted')
      await client.patch(nodeResource, { name: 'two' }, { type: 'merge', body: { spec: { unschedulable: true } } })
      await eventually(() => read().classes[0]?.total === 2, 'the cordoned node is not counted')
      expect(read().reasons).toEqual(['Nodes with GPUs that take no pods are not counted: two is cordoned.'])
      await client.delete(gpuPodResource, { namespace: 'theirs', name: 'other' }, { gracePeriodSeconds: 0 })
      await eventually(() => read().classes[0]?.free === 1, 'the GPU of the removed pod is free')
      await addPod('theirs', 'waiting', {})
      await eventually(() => read().classes[0]?.free === 0, "a waiting pod's request is not free")
      await client.patch(
        gpuPodResource,
        { namespace: 'ours', name: 'mine' },
        { type: 'merge', body: { status: { phase: 'Succeeded' } } },
        { subresource: 'status' },
      )
      await eventually(() => read().classes[0]?.usedByUs === 0, 'a pod that has ended holds nothing')
      expect([
        offers({ resource: 'nvidia.com/gpu', amount: 2 }),
        offers({ resource: 'nvidia.com/gpu', amount: 3 }),
      ]).toEqual([true, false])
    })
  })

  test('are reported only for our own pods, with the reason, if access to nodes is denied', async () => {
    await addPod('ours', 'retained', partOf, 'one')
    await looking('narrow', async ({ read, offers }) => {
      await eventually(() => read().classes.length > 0, 'our own pods are known')
      expect(read()).toMatchObject({ classes: [{ total: 0, free: 0, usedByUs: 1, usedByOthers: 0 }] })
      const [nodes, pods] = read().reasons
      expect(nodes).toMatch(/^The nodes of the cluster are unknown, .*"narrow" cannot list resource "nodes"/)
      expect(pods).toMatch(
        /^Only pods in ours are counted, .*"narrow" cannot list resource "pods".* at the cluster scope/,
      )
      expect(offers({ resource: 'nvidia.com/gpu', amount: 1 })).toBe(undefined)
    })
  })

  test('log denied access once, with the setting to change, however often it is retried', async () => {
    const logged: { level: string; msg: string; refusal: string }[] = []
    const write = (text: string) => void logged.push(JSON.parse(text))
    const log = createLog({ level: 'info', format: 'json', destination: { write } })
    const metrics = createMetrics({ processMetrics: false })
    const refusals = async (): Promise<number> =>
      [...(await metrics.render()).matchAll(/reflector_errors_total\{.*cause="refused"\} (\d+)/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      )
    const clock: Clock = {
      ...systemClock,
      sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 10_000, signal),
    }
    await looking('narrow', () => eventually(async () => (await refusals()) > 20, 'it is retried'), {
      clock,
      log,
      metrics,
    })
    expect(logged).toMatchObject([
      {
        level: 'info',
        msg: expect.stringContaining('gpu.clusterRead=true'),
        refusal: expect.stringContaining('narrow'),
      },
    ])
  })

  test('are unknown without failures if all access is denied', async () => {
    await looking('unprivileged', async ({ read }) => {
      await eventually(
        () => read().reasons.some((reason) => reason.startsWith('Only pods in')),
        'the denial is reported',
      )
      expect(read()).toMatchObject({
        classes: [],
        reasons: [expect.stringMatching('nodes'), expect.stringMatching('pods')],
      })
    })
  })
})
