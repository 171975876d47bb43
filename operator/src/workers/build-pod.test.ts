import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectAs, namespaces } from '../../test/api-server.ts'
import { type ControlPlane, findControlPlane, startControlPlane } from '../../test/control-plane.ts'
import type { Client } from '../runtime/mod.ts'
import { commonLabels, hashOf, labelValue, podMetadata, podSelector, podSpec, pods, reducePod } from './mod.ts'
import type { WorkerTemplate } from './templates.ts'

const template: WorkerTemplate = {
  image: 'trellis:1',
  command: ['node', 'worker.js'],
  env: [
    { name: 'LABEL', value: 'worker $(POD_NAME)' },
    { name: 'POD_UID', value: 'made up' },
    { name: 'LOG_LEVEL', value: 'info' },
  ],
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  hostAliases: [{ ip: '192.0.2.7', hostnames: ['shop.example'] }],
  dnsConfig: { searches: ['example'] },
  podLabels: { team: 'search', 'app.kubernetes.io/component': 'mine' },
  extraVolumes: [{ name: 'models', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'models', mountPath: '/models' }],
}

const containerOf = (spec = podSpec(template)) => {
  const [container] = spec.containers
  if (!container) throw new Error('the pod has no container')
  return container
}

test('a cached pod has only the conditions that decide something', () => {
  const types = [
    'PodReadyToStartContainers',
    'Initialized',
    'Ready',
    'ContainersReady',
    'PodScheduled',
    'DisruptionTarget',
  ]
  const conditions = types.map(
    (type) => ({ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }) as const,
  )
  const cached = reducePod({ metadata: { name: 'a', uid: 'a', resourceVersion: '1' }, status: { conditions } })
  expect(cached.status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'PodScheduled', 'DisruptionTarget'])
})

describe('a pod', () => {
  test('has its identity in the environment, whatever the template sets', () => {
    const { env } = containerOf()
    expect(env.filter(({ name }) => name === 'POD_UID')).toEqual([
      { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    ])
    const names = env.map(({ name }) => name)
    expect(names).toEqual(['POD_NAME', 'POD_UID', 'POD_NAMESPACE', 'HOST', 'METRICS_PORT', 'LABEL', 'LOG_LEVEL'])
  })

  test('has no probes unless it waits for a run', () => {
    const { startupProbe, readinessProbe } = containerOf()
    expect([startupProbe, readinessProbe]).toEqual([undefined, undefined])
  })

  test('that waits is probed each second until it is ready, and rarely afterwards', () => {
    const [{ startupProbe, readinessProbe } = {}] = podSpec(template, { isProbed: true }).containers
    expect(startupProbe).toMatchObject({ httpGet: { path: '/ready', port: 'metrics' }, periodSeconds: 1 })
    expect(readinessProbe).toMatchObject({ httpGet: { path: '/ready', port: 'metrics' }, periodSeconds: 30 })
  })

  test('uses the overrides of its kind over the template', () => {
    const spec = podSpec(template, {
      env: [{ name: 'LOG_LEVEL', value: 'debug' }],
      resources: { limits: { memory: '1Gi', 'nvidia.com/gpu': 1 } },
      nodeSelector: { 'nvidia.com/gpu.product': 'T4' },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      restartPolicy: 'Always',
      fsGroup: 10_001,
    })
    expect(spec).toMatchObject({
      restartPolicy: 'Always',
      securityContext: { fsGroup: 10_001 },
      nodeSelector: { disk: 'fast', 'nvidia.com/gpu.product': 'T4' },
      tolerations: [{ key: 'dedicated' }, { key: 'nvidia.com/gpu' }],
    })
    expect(containerOf(spec).env).toContainEqual({ name: 'LOG_LEVEL', value: 'debug' })
    expect(containerOf(spec).resources).toEqual({
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { memory: '1Gi', 'nvidia.com/gpu': 1 },
    })
  })

  test('has an empty writable /tmp, unless something else is mounted there', () => {
    expect(containerOf().volumeMounts).toEqual([
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'models', mountPath: '/models' },
    ])
    const own = { volumes: [{ name: 'scratch', emptyDir: {} }], volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }] }
    expect(podSpec({ image: 'a', command: ['b'] }, own)).toMatchObject({ volumes: own.volumes })
  })

  test('retains the labels that the operator selects it by', () => {
    const labels = commonLabels({ instance: 'trellis', component: 'search-worker' })
    expect(podMetadata(template, { labels }).labels).toEqual({ ...labels, team: 'search' })
    expect(podSelector('trellis').split(',').sort()).toEqual([
      'app.kubernetes.io/instance=trellis',
      'app.kubernetes.io/managed-by=trellis-operator',
      'app.kubernetes.io/part-of=trellis',
    ])
  })

  test('has a hash of its content that is independent of field order', () => {
    const { image, ...rest } = template
    expect(hashOf(podSpec({ ...rest, image }))).toBe(hashOf(podSpec(template)))
    expect(hashOf(podSpec({ ...template, image: 'trellis:2' }))).not.toBe(hashOf(podSpec(template)))
  })

  test('a name too long for a label value is replaced by a derived one', () => {
    expect(labelValue('short')).toBe('short')
    expect(labelValue('a'.repeat(64))).toHaveLength(63)
    expect(labelValue('a'.repeat(64))).not.toBe(labelValue('a'.repeat(65)))
  })
})

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

describe.skipIf(typeof programs === 'string')(`on a real kube-apiserver${reason}`, () => {
  let plane: ControlPlane
  let client: Client & AsyncDisposable
  const namespace = 'guarded'

  beforeAll(async () => {
    if (typeof programs === 'string') return
    plane = await startControlPlane(programs)
    client = connectAs(plane.kubeconfig())
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await client.create(namespaces, { metadata: { name: namespace, labels } })
  })

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await plane?.[Symbol.asyncDispose]()
  })

  test('a built pod is admitted under the restricted level, with every field', async () => {
    const spec = podSpec(template, {
      fsGroup: 10_001,
      livenessProbe: { httpGet: { path: '/health', port: 'metrics' } },
    })
    const labels = commonLabels({ instance: 'trellis', component: 'search-worker' })
    const metadata = { name: 'worker', namespace, ...podMetadata(template, { labels }) }
    const made = await client.create(pods, { metadata, spec })
    // The server adds its own tolerations.
    const { tolerations = [], ...rest } = spec
    expect(made.spec).toMatchObject(rest)
    expect(made.spec?.tolerations).toEqual(expect.arrayContaining([...tolerations]))
  })

  test('the restricted level is enforced: the same pod as root is rejected', async () => {
    const spec = { ...podSpec(template), securityContext: {} }
    await expect(client.create(pods, { metadata: { name: 'root', namespace }, spec })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('runAsNonRoot') as string,
    })
  })

  test('a cached pod is less than half its size', async () => {
    const stored = await client.get(pods, { name: 'worker', namespace })
    const retained = reducePod(stored)
    expect(retained.metadata).toMatchObject({ name: 'worker', labels: { team: 'search' }, uid: stored.metadata.uid })
    expect(JSON.stringify(retained).length).toBeLessThan(JSON.stringify(stored).length / 2)
  })
})
