import { expect, test } from 'vitest'
import type { Secret } from '../secrets/secret-kind.ts'
import type { StatefulSet } from './child-kinds.ts'
import { keyVersionOf, secretFor, serviceFor, statefulSetFor } from './children.ts'
import { namesOf } from './names.ts'
import { branchObject, settings } from './test-support.ts'
import { viewOf } from './view.ts'

const branch = branchObject('web', { spec: { slug: 'web', tenantId: 'acme', anonymize: true } })
const set = (of = branch, keyVersion = 'k1', live?: StatefulSet) => statefulSetFor(of, { keyVersion, live }, settings)
const environment = (of = branch) =>
  Object.fromEntries(set(of).spec.template.spec.containers[0]?.env.map(({ name, value }) => [name, value]) ?? [])

test("a branch's environment has its identity, ports, data directory and key", () => {
  expect(environment()).toMatchObject({
    BRANCH_SLUG: 'web',
    BRANCH_TENANT_ID: 'acme',
    BRANCH_RETENTION_DAYS: '30',
    BRANCH_ANONYMIZE: '1',
    HOST: '0.0.0.0',
    PORT: '8538',
    RPC_ADDRESS: '0.0.0.0:9000',
    METRICS_PORT: '9090',
    TRELLIS_DATA_DIR: '/data',
    NATS_URL: 'nats://nats:4222',
  })
  expect(environment(branchObject('b'))).not.toHaveProperty('BRANCH_TENANT_ID')
  const key = set().spec.template.spec.containers[0]?.env.find(({ name }) => name === 'BRANCH_KEY')
  expect(key?.valueFrom).toEqual({ secretKeyRef: { name: namesOf(branch).secret, key: 'api-key' } })
})

test('a tenant reaches the branch as it is, without references to other variables', () => {
  const tenant = environment(branchObject('web', { spec: { tenantId: '$(BRANCH_KEY) $5 $$' } })).BRANCH_TENANT_ID
  expect(tenant).toBe('$$(BRANCH_KEY) $$5 $$$$')
})

test('its pod restarts in place on a volume that outlives it, and can be replaced when not ready', () => {
  const { spec } = set()
  expect(spec).toMatchObject({
    replicas: 1,
    podManagementPolicy: 'Parallel',
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  })
  expect(spec.template.spec).toMatchObject({ restartPolicy: 'Always', securityContext: { fsGroup: 65_532 } })
  expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
  expect(set(branchObject('web', { spec: { state: 'Inactive' } })).spec.replicas).toBe(0)
})

test('a branch with a certificate accepts batches over HTTPS, and services see its https address', () => {
  const file = { name: 'RPC_TLS_CERT_FILE', value: '/etc/trellis/rpc-tls/tls.crt' }
  const secure = { ...settings, template: { ...settings.template, env: [file] } }
  const variables = (withSettings: typeof settings) =>
    statefulSetFor(branch, { keyVersion: 'k1', live: undefined }, withSettings).spec.template.spec.containers[0]?.env
  expect(variables(secure)).toContainEqual({ name: 'BRANCH_TLS', value: '1' })
  expect(variables(settings)?.map(({ name }) => name)).not.toContain('BRANCH_TLS')
  const none = { get: () => undefined, by: () => [], list: () => [] }
  const stores = { branches: none, pods: none, statefulSets: none, services: none, claims: none } as never
  const withPort = branchObject('web', { spec: { slug: 'web' }, status: { port: 8538 } })
  const host = `${namesOf(branch).service}.farm.svc:8538`
  expect(viewOf(withPort, stores, secure).httpAddress).toBe(`https://${host}`)
  expect(viewOf(withPort, stores, settings).httpAddress).toBe(`http://${host}`)
})

test("the volume's group is the template's, or the cluster's choice if the template has none", () => {
  const securityOf = (podSecurityContext: { fsGroup?: number }) =>
    statefulSetFor(
      branch,
      { keyVersion: 'k1', live: undefined },
      { ...settings, template: { ...settings.template, podSecurityContext } },
    ).spec.template.spec.securityContext
  expect(securityOf({ fsGroup: 10_001 })).toMatchObject({ fsGroup: 10_001, fsGroupChangePolicy: 'OnRootMismatch' })
  expect(securityOf({})).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
})

test('names fit their limits, and depend only on slug and namespace', () => {
  const long = branchObject('x', { spec: { slug: 'a'.repeat(40) } })
  expect(namesOf(long).statefulSet.length).toBeLessThanOrEqual(45)
  const again = { ...branch, metadata: { ...branch.metadata, name: 'other', uid: 'other' } }
  expect(namesOf(again)).toEqual(namesOf(branch))
  expect(namesOf({ ...branch, metadata: { ...branch.metadata, namespace: 'elsewhere' } })).not.toEqual(namesOf(branch))
})

test('a slug that is not a valid label value is replaced by a derived one', () => {
  const labels = (slug: string) => set(branchObject('x', { spec: { slug } })).metadata.labels?.['trellis.dev/branch']
  expect(labels('web-1')).toBe('web-1')
  expect(labels('-web-')).toMatch(/^web-[a-z0-9]{10}$/)
  expect(labels('-')).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
})

test('a claim template retains its initial values, whatever the branch requests later', () => {
  const live = { ...set(), metadata: { ...branch.metadata } } as StatefulSet
  const grown = branchObject('web', { spec: { slug: 'web', storage: '5Gi' } })
  expect(set(grown, 'k1', live).spec.volumeClaimTemplates).toEqual(set().spec.volumeClaimTemplates)
  expect(set(grown).spec.volumeClaimTemplates[0]?.spec.resources?.requests?.storage).toBe('5Gi')
})

test('another Secret or version restarts the pod, without revealing the key', () => {
  const secret = (uid: string, resourceVersion: string): Secret => ({
    metadata: { ...branch.metadata, uid, resourceVersion },
    data: { 'api-key': 'c2VjcmV0' },
  })
  const versions = [secret('a', '1'), secret('a', '2'), secret('b', '1')].map(keyVersionOf)
  expect(new Set(versions).size).toBe(3)
  expect(set(branch, 'k2').spec.template).not.toEqual(set(branch, 'k1').spec.template)
  expect(JSON.stringify(versions)).not.toContain('c2VjcmV0')
})

test('the Service has the port of the branch, and another one for queries', () => {
  const ports = (port: number) =>
    serviceFor(branch, port, settings).spec.ports.map((one) => [one.name, one.port, one.targetPort])
  expect(ports(8600)).toEqual([
    ['http', 8600, 'http'],
    ['rpc', 9000, 'rpc'],
  ])
  expect(ports(9000)).toEqual([
    ['http', 9000, 'http'],
    ['rpc', 9001, 'rpc'],
  ])
})

test('all child objects are owned by the branch', () => {
  const owner = { kind: 'Branch', uid: branch.metadata.uid, controller: true, blockOwnerDeletion: true }
  for (const { metadata } of [set(), serviceFor(branch, 8538, settings), secretFor(branch, 'k', settings)])
    expect(metadata).toMatchObject({
      namespace: 'farm',
      ownerReferences: [owner],
      labels: { 'app.kubernetes.io/component': 'branch' },
    })
})
