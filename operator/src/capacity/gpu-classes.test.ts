import { describe, expect, test } from 'vitest'
import { gpuClasses, isOffered, ownGpus } from './gpu-classes.ts'
import { gpuToleration, type NodeObject, reduceNode } from './gpu-nodes.ts'
import { type GpuPod, gpusRequestedBy, reducePod } from './gpu-pods.ts'
import { memoryLabel, productLabel } from './gpu-resources.ts'

const a100 = { [productLabel]: 'NVIDIA-A100-SXM4-80GB', [memoryLabel]: '81920' }
const t4 = { [productLabel]: 'Tesla-T4', [memoryLabel]: '15360' }
const tolerations = [gpuToleration]

const node = (
  name: string,
  labels: Record<string, string>,
  allocatable: Record<string, string>,
  { ready = 'True', ...spec }: NodeObject['spec'] & { ready?: string } = {},
): NodeObject =>
  reduceNode({
    metadata: { name, uid: name, resourceVersion: '1', labels: { ...labels, 'kubernetes.io/hostname': name } },
    spec,
    status: { allocatable: { cpu: '8', ...allocatable }, conditions: [{ type: 'Ready', status: ready }] },
  })

const isTrellis = ({ metadata }: GpuPod) => metadata.labels?.['app.kubernetes.io/part-of'] === 'trellis'

const pod = (
  limits: Record<string, string>,
  { on, ours = false, product, phase = 'Running' }: { on?: string; ours?: boolean; product?: string; phase?: string },
): GpuPod =>
  reducePod(isTrellis)({
    metadata: {
      name: 'pod',
      namespace: 'default',
      uid: 'pod',
      resourceVersion: '1',
      ...(ours ? { labels: { 'app.kubernetes.io/part-of': 'trellis' } } : {}),
    },
    spec: {
      containers: [{ resources: { limits } }],
      ...(on ? { nodeName: on } : {}),
      ...(product ? { nodeSelector: { [productLabel]: product } } : {}),
    },
    status: { phase },
  })

const gpu = { 'nvidia.com/gpu': '1' }

describe('the GPU request of a pod', () => {
  const requests = (count: number, restartPolicy?: string) => ({
    resources: { limits: { 'nvidia.com/gpu': String(count), cpu: '1' } },
    ...(restartPolicy ? { restartPolicy } : {}),
  })

  test.each([
    ['nothing', { containers: [{}] }, {}],
    ['the sum of its containers', { containers: [requests(1), requests(2)] }, { 'nvidia.com/gpu': 3 }],
    [
      'its largest init container',
      { initContainers: [requests(4), requests(1)], containers: [requests(2)] },
      { 'nvidia.com/gpu': 4 },
    ],
    [
      'its containers, if they request more',
      { initContainers: [requests(1)], containers: [requests(2)] },
      { 'nvidia.com/gpu': 2 },
    ],
    [
      'its sidecars too',
      { initContainers: [requests(1, 'Always')], containers: [requests(2)] },
      { 'nvidia.com/gpu': 3 },
    ],
    [
      'an init container with the sidecars before it, not those after it',
      { initContainers: [requests(1, 'Always'), requests(3), requests(1, 'Always')], containers: [requests(1)] },
      { 'nvidia.com/gpu': 4 },
    ],
    [
      'requests without limits, and slices',
      { containers: [{ resources: { requests: { 'nvidia.com/mig-1g.5gb': 2 } } }] },
      { 'nvidia.com/mig-1g.5gb': 2 },
    ],
  ])('is %s', (_, spec, expected) => {
    expect(gpusRequestedBy(spec)).toEqual(expected)
  })
})

test('classes are models by resource name, with our own, foreign and free GPUs', () => {
  const nodes = [
    node('a', a100, { 'nvidia.com/gpu': '8' }),
    node('b', a100, { 'nvidia.com/gpu': '8' }),
    node('c', t4, { 'nvidia.com/gpu.shared': '10' }),
    node('d', a100, { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.5gb': '7' }),
    node('e', {}, {}),
  ]
  const pods = [
    pod({ 'nvidia.com/gpu': '2' }, { on: 'a', ours: true }),
    pod({ 'nvidia.com/gpu': '3' }, { on: 'a' }),
    pod({ 'nvidia.com/gpu': '8' }, { on: 'b', phase: 'Succeeded' }),
    pod({ 'nvidia.com/gpu.shared': '4' }, { on: 'c', phase: 'Pending' }),
    pod({ cpu: '4' }, { on: 'a' }),
  ]
  expect(gpuClasses({ nodes, pods, tolerations })).toEqual({
    classes: [
      {
        product: 'NVIDIA-A100-SXM4-80GB',
        memoryMib: 81920,
        resource: 'nvidia.com/gpu',
        total: 16,
        free: 11,
        usedByUs: 2,
        usedByOthers: 3,
      },
      {
        product: 'NVIDIA-A100-SXM4-80GB',
        memoryMib: 81920,
        resource: 'nvidia.com/mig-1g.5gb',
        total: 7,
        free: 7,
        usedByUs: 0,
        usedByOthers: 0,
      },
      {
        product: 'Tesla-T4',
        memoryMib: 15360,
        resource: 'nvidia.com/gpu.shared',
        total: 10,
        free: 6,
        usedByUs: 0,
        usedByOthers: 4,
      },
    ],
    reasons: [],
  })
})

test('overcommitment on one node takes nothing from another', () => {
  const nodes = [node('a', t4, { 'nvidia.com/gpu': '1' }), node('b', t4, { 'nvidia.com/gpu': '2' })]
  const pods = [pod(gpu, { on: 'a' }), pod(gpu, { on: 'a' })]
  expect(gpuClasses({ nodes, pods, tolerations }).classes).toMatchObject([{ total: 3, free: 2, usedByOthers: 2 }])
})

describe('a pod that waits for a node', () => {
  const nodes = [node('a', a100, { 'nvidia.com/gpu': '4' }), node('b', t4, { 'nvidia.com/gpu': '2' })]
  const free = (pods: GpuPod[]) => {
    const { classes, reasons } = gpuClasses({ nodes, pods, tolerations })
    return { free: Object.fromEntries(classes.map((one) => [one.product, one.free])), reasons }
  }

  test('takes from the model that it names, and from no other even if that is not enough', () => {
    expect(free([pod({ 'nvidia.com/gpu': '3' }, { product: 'Tesla-T4' })])).toEqual({
      free: { 'NVIDIA-A100-SXM4-80GB': 4, 'Tesla-T4': 0 },
      reasons: ['Pods that wait for a node request 3 GPUs, which are not counted as free.'],
    })
  })

  test('takes from the model with the most free if it names none', () => {
    expect(free([pod({ 'nvidia.com/gpu': '3' }, {})]).free).toEqual({ 'NVIDIA-A100-SXM4-80GB': 1, 'Tesla-T4': 2 })
  })

  test('takes nothing if no node offers the resource', () => {
    const { free: left, reasons } = free([pod({ 'nvidia.com/mig-1g.5gb': '1' }, {})])
    expect(left).toEqual({ 'NVIDIA-A100-SXM4-80GB': 4, 'Tesla-T4': 2 })
    expect(reasons).toEqual([])
  })
})

describe('a node that takes no pods', () => {
  const taint = (key: string, effect = 'NoSchedule') => ({ taints: [{ key, effect }] })

  test.each([
    ['is cordoned', { unschedulable: true }, 'is cordoned'],
    ['is not ready', { ready: 'False' }, 'is not ready'],
    ['is unreachable', { ready: 'Unknown' }, 'is not ready'],
    ['is tainted for others', taint('team'), 'has the taint team'],
    ['is being drained', taint('outage', 'NoExecute'), 'has the taint outage'],
  ])('because it %s is excluded and named', (_, spec, why) => {
    const nodes = [node('a', t4, { 'nvidia.com/gpu': '4' }, spec)]
    expect(gpuClasses({ nodes, pods: [pod(gpu, { on: 'a' })], tolerations })).toEqual({
      classes: [],
      reasons: [`Nodes with GPUs that take no pods are not counted: a ${why}.`],
    })
    expect(isOffered({ nodes, tolerations }, { resource: 'nvidia.com/gpu', amount: 1 })).toBe(false)
  })

  test.each([
    ['tainted for GPUs', taint('nvidia.com/gpu')],
    ['tainted with PreferNoSchedule', taint('slow', 'PreferNoSchedule')],
  ])('does not include one that is %s', (_, spec) => {
    const nodes = [node('a', t4, { 'nvidia.com/gpu': '4' }, spec)]
    expect(gpuClasses({ nodes, pods: [], tolerations })).toMatchObject({
      classes: [{ total: 4, free: 4 }],
      reasons: [],
    })
  })

  test('does not include one whose taint the workers tolerate', () => {
    const nodes = [
      node('a', t4, { 'nvidia.com/gpu': '4' }, { taints: [{ key: 'team', value: 'music', effect: 'NoSchedule' }] }),
    ]
    const count = (value: string) =>
      gpuClasses({ nodes, pods: [], tolerations: [{ key: 'team', value, effect: 'NoSchedule' }] }).classes.length
    expect([count('music'), count('other')]).toEqual([1, 0])
  })

  test('is named only up to a limit', () => {
    const nodes = Array.from({ length: 7 }, (_, index) => node(`n${index}`, t4, gpu, { unschedulable: true }))
    expect(gpuClasses({ nodes, pods: [], tolerations }).reasons[0]).toMatch(/n4 is cordoned and 2 more\.$/)
  })
})

test('a cluster without GPUs is reported', () => {
  expect(gpuClasses({ nodes: [node('a', {}, {})], pods: [], tolerations })).toEqual({
    classes: [],
    reasons: ['No node of the cluster has a GPU.'],
  })
})

test('GPUs are offered if one node has enough of the model, held or not', () => {
  const nodes = [node('a', t4, { 'nvidia.com/gpu': '1' }), node('b', a100, { 'nvidia.com/gpu': '1' })]
  const offers = (amount: number, product?: string) =>
    isOffered({ nodes, tolerations }, { resource: 'nvidia.com/gpu', amount, ...(product ? { product } : {}) })
  expect([offers(1), offers(2), offers(1, 'Tesla-T4'), offers(1, 'H100')]).toEqual([true, false, true, false])
})

test('with unknown nodes, the GPUs of our own pods are still counted', () => {
  const pods = [pod(gpu, { on: 'a', ours: true, product: 'Tesla-T4' }), pod(gpu, { on: 'a' }), pod(gpu, { ours: true })]
  expect(ownGpus(pods)).toEqual([
    {
      product: 'Tesla-T4',
      memoryMib: null,
      resource: 'nvidia.com/gpu',
      total: 0,
      free: 0,
      usedByUs: 1,
      usedByOthers: 0,
    },
  ])
})

test('the cache reduces pods without GPUs to their identity, and nodes to what is counted', () => {
  expect(pod({ cpu: '1' }, { on: 'a', ours: true })).toEqual({
    metadata: { name: 'pod', namespace: 'default', uid: 'pod', resourceVersion: '1' },
  })
  expect(node('a', t4, { 'nvidia.com/gpu': '2' })).toEqual({
    metadata: { name: 'a', uid: 'a', resourceVersion: '1', labels: t4 },
    spec: { unschedulable: false, taints: [] },
    status: { allocatable: { 'nvidia.com/gpu': 2 }, conditions: [{ type: 'Ready', status: 'True' }] },
  })
})
