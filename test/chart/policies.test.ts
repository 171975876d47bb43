import { beforeAll, describe, expect, test } from 'vitest'
import { commonLabels } from '../../operator/src/workers/mod.ts'
import { helmMissing, type Manifest, render } from './helm.ts'
import { type Connection, type End, isAllowed } from './policies.ts'

const workers = ['search-worker', 'generation-worker', 'branch'] as const
const services = ['listings', 'logs', 'music']
const internet: End = { address: '203.0.113.7' }
const stranger: End = { namespace: 'space', labels: { app: 'stranger' } }
const prometheus: End = { namespace: 'monitoring', labels: { app: 'prometheus' } }

/** The pods of a release by component, with their actual labels from the chart or the operator. */
const podsIn = (manifests: readonly Manifest[], namespace: string) => {
  const ofChart = manifests.flatMap((manifest): [string, End][] => {
    const labels = manifest.kind === 'Pod' ? manifest.metadata.labels : manifest.spec?.template?.metadata?.labels
    return labels ? [[labels['app.kubernetes.io/component'], { namespace: 'space', labels }]] : []
  })
  const ofOperator = workers.map((component): [string, End] => [
    component,
    { namespace, labels: commonLabels({ instance: 'release', component }) },
  ])
  const pods = new Map([...ofChart, ...ofOperator])
  return (name: string): End => {
    const pod = pods.get(name)
    if (!pod) throw new Error(`There is no pod of ${name}.`)
    return pod
  }
}

/** Cloud metadata services, which no pod may reach. */
const metadataServices = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fe80::a9fe:a9fe']

/** Other addresses that a pod must not reach: nodes, Services, and their IPv6 equivalents. */
const notPublic = [
  '10.96.0.1',
  '172.20.3.4',
  '192.168.1.1',
  '127.0.0.1',
  'fe80::1',
  // 10.0.0.1 in 6to4, in Teredo, and in NAT64 with the well-known prefix and with a local prefix.
  '2002:a00:1::1',
  '2001:0:a00:1::1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
]

type Call = [from: string, to: string, port: number]

/** Required connections: caller, callee, and port of the callee's pod. */
const needed: Call[] = [
  ...services.map((service): Call => ['edge', service, 9000]),
  ...services.map((service): Call => [service, 'operator', 9000]),
  ...[...services, 'operator', 'migrate', ...workers].map((name): Call => [name, 'nats', 4222]),
  ...[...services, 'migrate'].map((name): Call => [name, 'postgres', 5432]),
  ['listings', 'demo-marketplace', 8080],
  ['search-worker', 'demo-marketplace', 8080],
  ['edge', 'branch', 8538],
  ['logs', 'branch', 9000],
  ['test', 'edge', 8080],
]

/** Connections that an attacker inside a pod would try. */
const refused: Call[] = [
  ...['edge', 'operator', 'demo-marketplace', 'test', ...workers].map((name): Call => [name, 'postgres', 5432]),
  ...['edge', 'demo-marketplace', 'test', 'postgres'].map((name): Call => [name, 'nats', 4222]),
  ...['operator', 'demo-marketplace', 'nats', ...workers].flatMap((name) =>
    services.map((service): Call => [name, service, 9000]),
  ),
  ...['edge', 'nats', 'test', ...workers].map((name): Call => [name, 'operator', 9000]),
  ...['search-worker', 'generation-worker', 'listings', 'music'].map((name): Call => [name, 'branch', 8538]),
  ['search-worker', 'generation-worker', 9000],
  ['edge', 'nats', 8222],
]

/** Where workers run: in the release's namespace, or in another one. */
const workerNamespaces = [
  ['space', {}],
  ['team-a', { operator: { watchNamespaces: ['team-a'] } }],
] as const

describe.skipIf(helmMissing !== undefined)(`network policies${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  describe.each(workerNamespaces)('with workers in the namespace %s', (namespace, values) => {
    let manifests: Manifest[]
    let pod: (name: string) => End
    beforeAll(async () => {
      manifests = await render(values)
      pod = podsIn(manifests, namespace)
    })
    const allows = (connection: Connection) => isAllowed(manifests, connection)
    const everyPod = () =>
      [...workers, ...services, 'edge', 'operator', 'nats', 'postgres', 'demo-marketplace'].map(pod)

    test.each(needed)('%s may connect to %s:%i', (from, to, port) => {
      expect(allows({ from: pod(from), to: pod(to), port })).toBe(true)
    })

    test.each(refused)('%s may not connect to %s:%i', (from, to, port) => {
      expect(allows({ from: pod(from), to: pod(to), port })).toBe(false)
    })

    test('every pod may use DNS and be scraped for metrics', () => {
      const dns: End = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }
      for (const one of everyPod())
        for (const protocol of ['TCP', 'UDP'] as const)
          expect(allows({ from: one, to: dns, port: 53, protocol })).toBe(true)
      for (const one of everyPod()) expect(allows({ from: prometheus, to: one, port: 9090 })).toBe(true)
    })

    test('outside clients may connect only to the edge', () => {
      for (const from of [internet, stranger, prometheus]) {
        expect(allows({ from, to: pod('edge'), port: 8080 })).toBe(true)
        for (const to of everyPod())
          for (const port of [4222, 5432, 8222, 8538, 9000]) expect(allows({ from, to, port })).toBe(false)
      }
    })

    test('only pods that fetch from the internet may connect to public addresses', () => {
      for (const name of ['listings', 'logs', 'search-worker'])
        for (const to of [internet, { address: '2001:db8::1' }])
          expect(allows({ from: pod(name), to, port: 443 }), name).toBe(true)
      for (const name of [
        'nats',
        'postgres',
        'demo-marketplace',
        'music',
        'edge',
        'operator',
        'generation-worker',
        'branch',
      ])
        expect(allows({ from: pod(name), to: internet, port: 443 }), name).toBe(['operator'].includes(name))
    })

    test.each([...metadataServices, ...notPublic])(
      'no pod may connect to %s, a metadata service or private address',
      (address) => {
        for (const name of [...services, ...workers, 'edge', 'migrate', 'test', 'nats', 'postgres', 'demo-marketplace'])
          for (const port of [80, 443, 6443, 10_250])
            expect(allows({ from: pod(name), to: { address }, port }), name).toBe(false)
      },
    )

    test('pods with the labels of a worker or service in other namespaces are refused', () => {
      const { labels } = pod('search-worker') as { labels: Record<string, string> }
      const { labels: ofListings } = pod('listings') as { labels: Record<string, string> }
      expect(allows({ from: { namespace: 'elsewhere', labels }, to: pod('nats'), port: 4222 })).toBe(false)
      for (const other of ['elsewhere', 'team-a'])
        expect(allows({ from: { namespace: other, labels: ofListings }, to: pod('postgres'), port: 5432 })).toBe(false)
    })

    test('a worker of another release is refused', () => {
      const other = commonLabels({ instance: 'another', component: 'search-worker' })
      expect(allows({ from: { namespace, labels: other }, to: pod('nats'), port: 4222 })).toBe(false)
    })
  })

  test('only the operator and the create-secrets Job may reach the API server with an empty networkPolicy.outside', async () => {
    const manifests = await render({ networkPolicy: { outside: [] } })
    const pod = podsIn(manifests, 'space')
    const allowed = (name: string) =>
      [443, 6443].map((port) => isAllowed(manifests, { from: pod(name), to: { address: '10.96.0.1' }, port }))
    for (const name of ['operator', 'create-secrets']) expect(allowed(name), name).toEqual([true, true])
    for (const name of [...services, ...workers, 'edge', 'migrate', 'test'])
      expect(allowed(name), name).toEqual([false, false])
  })

  test('no pod, not even the operator, may reach a cloud metadata service', async () => {
    const manifests = await render()
    const pod = podsIn(manifests, 'space')
    for (const name of [...services, ...workers, 'operator', 'create-secrets', 'edge', 'migrate', 'test'])
      for (const address of metadataServices)
        for (const port of [80, 443, 6443])
          expect(isAllowed(manifests, { from: pod(name), to: { address }, port }), `${name}: ${address}`).toBe(false)
  })

  test('a CiliumNetworkPolicy names the API server, because Cilium matches no node addresses by CIDR', async () => {
    const ofCilium = (manifests: readonly Manifest[]) =>
      manifests.filter(({ kind }) => kind === 'CiliumNetworkPolicy').map(({ spec }) => spec)
    expect(ofCilium(await render())).toEqual([])
    const [policy, ...others] = ofCilium(await render({}, '--api-versions', 'cilium.io/v2/CiliumNetworkPolicy'))
    expect(others).toEqual([])
    expect(policy).toMatchObject({
      endpointSelector: {
        matchExpressions: expect.arrayContaining([
          expect.objectContaining({ key: 'app.kubernetes.io/component', values: ['operator', 'create-secrets'] }),
        ]),
      },
      egress: [
        {
          toEntities: ['kube-apiserver'],
          toPorts: [
            {
              ports: [
                { port: '443', protocol: 'TCP' },
                { port: '6443', protocol: 'TCP' },
              ],
            },
          ],
        },
      ],
    })
  })

  test('edgeFrom, metricsFrom and outside of the values replace the defaults', async () => {
    const ingress = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }
    const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }
    const s3 = { to: [{ ipBlock: { cidr: '203.0.113.0/24', except: ['203.0.113.128/25'] } }], ports: [{ port: 443 }] }
    const manifests = await render({
      networkPolicy: { edgeFrom: [ingress], metricsFrom: [monitoring], outside: [s3] },
    })
    const pod = podsIn(manifests, 'space')
    const allows = (connection: Connection) => isAllowed(manifests, connection)
    expect(allows({ from: { namespace: 'ingress', labels: {} }, to: pod('edge'), port: 8080 })).toBe(true)
    expect(allows({ from: prometheus, to: pod('edge'), port: 9090 })).toBe(true)
    for (const port of [8080, 9090]) expect(allows({ from: stranger, to: pod('edge'), port })).toBe(false)
    expect(allows({ from: pod('generation-worker'), to: internet, port: 443 })).toBe(true)
    expect(allows({ from: pod('generation-worker'), to: internet, port: 80 })).toBe(false)
    expect(allows({ from: pod('generation-worker'), to: { address: '203.0.113.200' }, port: 443 })).toBe(false)
  })

  test('external servers in networkPolicy.servers are reachable for the pods that use them', async () => {
    const bundled = { nats: { url: '' }, database: { existingSecret: '' }, s3: { endpoint: '' } }
    const network = { to: { address: '10.0.7.9' }, port: 5432 }
    const users = async (values: object) => {
      const servers = [{ ipBlock: { cidr: '10.0.7.0/24' } }]
      const manifests = await render({ ...bundled, ...values, networkPolicy: { servers } })
      const pod = podsIn(manifests, 'space')
      return [...services, ...workers, 'edge', 'operator', 'migrate'].filter((name) =>
        isAllowed(manifests, { from: pod(name), ...network }),
      )
    }
    expect(await users({})).toEqual([])
    expect(await users({ database: { existingSecret: 'postgres' } })).toEqual([...services, 'migrate'])
    expect(await users({ s3: { endpoint: 'https://s3.local', existingSecret: 's3' } })).toEqual([
      ...services,
      'generation-worker',
      'migrate',
    ])
    expect(await users({ nats: { url: 'nats://10.0.7.9:4222' } })).toEqual([
      ...services,
      ...workers,
      'operator',
      'migrate',
    ])
  })

  test('networkPolicy.enabled=false renders no policies', async () => {
    const manifests = await render({ networkPolicy: { enabled: false } })
    expect(manifests.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([])
  })
})
