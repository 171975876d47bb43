import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { parseWorkerTemplates } from '../../operator/src/workers/mod.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { cases } from './cases.ts'
import { chart, helm, helmMissing, type Manifest, render, template } from './helm.ts'

const podOf = ({ kind, spec }: Manifest): Manifest['spec'] => (kind === 'Pod' ? spec : spec?.template?.spec)
const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`
/** Throws if there is none, so that checks for absent fields cannot pass on a missing Deployment. */
const deploymentOf = async (component: string, values: object): Promise<Manifest> => {
  const key = `Deployment/space/release-trellis-${component}`
  const deployment = (await render(values)).find((manifest) => keyOf(manifest) === key)
  if (!deployment) throw new Error(`There is no ${key}.`)
  return deployment
}
const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition'

describe.skipIf(helmMissing !== undefined)(`the chart${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  test('the chart passes the linter', () => {
    const { code, output, error } = helm('lint', '--strict', chart)
    expect({ code, text: `${output}${error}` }).toMatchObject({ code: 0 })
  })

  test('the objects in the release notes can be applied by pasting the indented commands', () => {
    const { code, output } = helm('install', 'release', chart, '--namespace', 'space', '--dry-run=client')
    expect(code).toBe(0)
    const [, notes = ''] = output.split('\nNOTES:\n')
    // A here-document would not end, since its last line is indented, too.
    const objects = [...notes.matchAll(/echo '(.+)' \|\n +kubectl -n space apply -f -\n/g)]
    expect(objects.map(([, object = '']) => parse(object).kind)).toEqual(['Search', 'WarmPool'])
    expect(notes).not.toContain('<<')
  })

  test('an installation whose URL has a path is reached at that path', async () => {
    const manifests = await render({
      publicUrl: 'https://example.com/trellis',
      ingress: { enabled: true, hosts: ['example.com'] },
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
    })
    const specOf = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec
    expect(specOf('Ingress').rules).toMatchObject([
      { host: 'example.com', http: { paths: [{ path: '/trellis', pathType: 'Prefix' }] } },
    ])
    expect(specOf('HTTPRoute').rules).toMatchObject([{ matches: [{ path: { value: '/trellis' } }] }])
  })

  test('pods of the bundled servers carry no version of the release, so an upgrade alone does not restart them', async () => {
    const sets = (await render({})).filter(({ kind }) => kind === 'StatefulSet')
    const labelsOf = ({ metadata, spec }: Manifest) => [
      metadata.name,
      Object.keys(spec.template.metadata.labels).sort(),
    ]
    const names = ['component', 'instance', 'managed-by', 'name', 'part-of'].map((name) => `app.kubernetes.io/${name}`)
    expect(sets.map(labelsOf)).toEqual(['nats', 'postgres'].map((server) => [`release-trellis-${server}`, names]))
  })

  describe.each(Object.entries(cases))('with the values of %s', (name, values) => {
    test('the rendered manifests match the snapshot', async () => {
      const manifests = (await render(values)).filter((manifest) => !isDefinition(manifest))
      const text = manifests.map((manifest) => stringify(manifest, { lineWidth: 0 })).join('---\n')
      await expect(text).toMatchFileSnapshot(`snapshots/${name.replaceAll(' ', '-')}.yaml`)
    })

    test('rendering is deterministic, without Secrets and without duplicate objects', async () => {
      const [one, other] = [await template(values), await template(values)]
      expect(other.output).toBe(one.output)
      const keys = (await render(values)).map(keyOf)
      expect(new Set(keys).size).toBe(keys.length)
      expect(keys.filter((key) => key.startsWith('Secret/'))).toEqual([])
    })

    test('containers run with minimal privileges and with resource limits', async () => {
      const pods = (await render(values)).flatMap((manifest) => podOf(manifest) ?? [])
      expect(pods.length).toBeGreaterThan(6)
      for (const pod of pods) {
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
        if (pod.serviceAccountName === undefined) expect(pod.automountServiceAccountToken).toBe(false)
        for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          })
          expect(container.resources).toMatchObject({ requests: expect.anything(), limits: expect.anything() })
          const names = (container.env ?? []).map((variable: { name: string }) => variable.name)
          expect(new Set(names).size, `variables of ${container.name}`).toBe(names.length)
        }
      }
    })

    test('the operator can parse the worker templates', async () => {
      const file = (await render(values)).find(({ metadata }) => metadata.name.endsWith('-workers'))?.data[
        'workers.json'
      ]
      const { search, generation, branch } = parseWorkerTemplates(file, 'the chart')
      expect(search.command).toEqual(['node', '/app/search-worker.js'])
      expect(generation.command).toEqual(['node', '/app/generation-worker.js'])
      expect(branch.command).toEqual(['node', '/app/branch.js'])
    })
  })

  test('Branches get the fsGroup of other pods, and none if the cluster assigns ids', async () => {
    const branchOf = async (values: object) => {
      const manifests = await render(values)
      const file = manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json']
      return parseWorkerTemplates(file, 'the chart').branch
    }
    expect((await branchOf({})).podSecurityContext).toEqual({ fsGroup: 10_001 })
    expect((await branchOf({ podSecurityContext: { fsGroup: 2_000 } })).podSecurityContext).toEqual({ fsGroup: 2_000 })
    expect((await branchOf({ podSecurityContext: { fsGroup: null } })).podSecurityContext).toEqual({})
  })

  test('idle workers are scheduled after workers with a run, and both after everything else', async () => {
    const manifests = await render()
    const classes = new Map(
      manifests.filter(({ kind }) => kind === 'PriorityClass').map((one) => [one.metadata.name, one]),
    )
    const file = manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json']
    const { search, generation, branch } = parseWorkerTemplates(file, 'the chart')
    for (const { priorityClassName, poolPriorityClassName } of [search, generation]) {
      const [run, idle] = [priorityClassName, poolPriorityClassName].map((name) => classes.get(name ?? ''))
      expect(run?.value).toBeLessThan(0)
      expect(idle?.value).toBeLessThan(run?.value)
      expect([run?.preemptionPolicy, idle?.preemptionPolicy]).toEqual(['Never', 'Never'])
    }
    // The default priority of a cluster is 0.
    const others = manifests.flatMap((manifest) => podOf(manifest)?.priorityClassName ?? [])
    expect([branch.priorityClassName, ...others]).toEqual([undefined])
  })

  test('probes of a start wait as long as a usual start takes, since each failed one is a Warning event', async () => {
    const containers = (await render()).flatMap((manifest) => podOf(manifest)?.containers ?? [])
    const delays = containers.flatMap(({ name, startupProbe, readinessProbe }) =>
      startupProbe || readinessProbe ? [[name, (startupProbe ?? readinessProbe).initialDelaySeconds ?? 0]] : [],
    )
    expect(delays.length).toBeGreaterThan(6)
    expect(delays.filter(([, seconds]) => seconds < 2)).toEqual([])
  })

  test('the model that separates stems is mounted read-only and named to music, from the values', async () => {
    const musicOf = async (values: object) => {
      const { containers, volumes } = (await deploymentOf('music', values)).spec.template.spec
      const [{ env, volumeMounts }] = containers
      return {
        model: env.find(({ name }: { name: string }) => name === 'MUSIC_STEMS_MODEL')?.value,
        volume: volumes.find(({ name }: { name: string }) => name === 'models'),
        mount: volumeMounts.find(({ name }: { name: string }) => name === 'models'),
      }
    }
    expect(await musicOf({})).toEqual({ model: undefined, volume: undefined, mount: undefined })
    expect(await musicOf({ music: { models: { existingClaim: 'shared', stems: 'htdemucs' } } })).toEqual({
      model: '/models/htdemucs',
      volume: { name: 'models', persistentVolumeClaim: { claimName: 'shared', readOnly: true } },
      mount: { name: 'models', mountPath: '/models', readOnly: true },
    })
  })

  test('the model that generates music is mounted into the service and the generation workers', async () => {
    const values = { music: { models: { existingClaim: 'shared', generator: 'musicgen', device: 'cuda' } } }
    const volume = { name: 'models', persistentVolumeClaim: { claimName: 'shared', readOnly: true } }
    const mount = { name: 'models', mountPath: '/models', readOnly: true }
    const { containers, volumes } = (await deploymentOf('music', values)).spec.template.spec
    expect(containers[0].env).toContainEqual({ name: 'MUSIC_MODEL', value: '/models/musicgen' })
    expect([volumes, containers[0].volumeMounts]).toEqual([
      expect.arrayContaining([volume]),
      expect.arrayContaining([mount]),
    ])
    const workersOf = async (own: object) => {
      const manifests = await render(own)
      const file = manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json']
      return parseWorkerTemplates(file, 'the chart')
    }
    const { generation, search } = await workersOf(values)
    expect(generation.env).toContainEqual({ name: 'MUSIC_MODEL_DEVICE', value: 'cuda' })
    expect(generation).toMatchObject({ extraVolumes: [volume], extraVolumeMounts: [mount] })
    expect([search, (await workersOf({})).generation].map(({ extraVolumes }) => extraVolumes ?? [])).toEqual([[], []])
  })

  test('CORS origins are set from the values, for listings and logs, and separately for music', async () => {
    const opened = async (edge: object) => {
      const { spec } = await deploymentOf('edge', { edge })
      const variables: { name: string; value?: string }[] = spec.template.spec.containers[0].env
      return Object.fromEntries(
        variables.flatMap(({ name, value }) => (name.endsWith('CORS_ORIGINS') ? [[name, value]] : [])),
      )
    }
    const [app, studio] = ['https://app.example.com', 'https://studio.example.com']
    expect(await opened({})).toEqual({})
    expect(await opened({ corsOrigins: [app] })).toEqual({ CORS_ORIGINS: app })
    expect(await opened({ musicCorsOrigins: [studio] })).toEqual({ MUSIC_CORS_ORIGINS: studio })
  })

  test('the edge and the log service start only with an API key, unless the values make it optional', async () => {
    type Reference = { name: string; key: string; optional?: boolean }
    const keyOf = async (component: string, values: object): Promise<Reference> => {
      const { spec } = await deploymentOf(component, values)
      const variables: { name: string; valueFrom: { secretKeyRef: Reference } }[] = spec.template.spec.containers[0].env
      const found = variables.find(({ name }) => name === 'SERVICE_API_KEY')
      if (!found) throw new Error(`${component} has no API key.`)
      return found.valueFrom.secretKeyRef
    }
    const [generated, own, keys] = [{}, { secrets: { existingSecret: 'shared' } }, { keys: { existingSecret: 'keys' } }]
    for (const component of ['edge', 'logs']) {
      expect(await keyOf(component, generated)).toEqual({ name: 'release-trellis-secrets', key: 'api-key' })
      expect(await keyOf(component, own)).toEqual({ name: 'shared', key: 'api-key' })
      expect(await keyOf(component, keys)).toEqual({ name: 'keys', key: 'SERVICE_API_KEY' })
      const optional = { keys: { existingSecret: 'keys', optional: true } }
      expect(await keyOf(component, optional)).toEqual({ name: 'keys', key: 'SERVICE_API_KEY', optional: true })
    }
  })

  test('the first Job checks for the API key in the user-provided Secret, which it may read', async () => {
    const checked = async (keys: object) => {
      const manifests = await render({ keys, operator: { watchNamespaces: ['team-a'] } })
      const ofJob = (kind: string) =>
        manifests.filter((one) => one.kind === kind && one.metadata.name.endsWith('-create-secrets'))
      const variables: { name: string; value?: string }[] = ofJob('Job')[0]?.spec.template.spec.containers[0].env
      const rules = (role: Manifest): { resourceNames?: string[] }[] => role.rules
      const readers = ofJob('Role').filter((role) =>
        rules(role).some(({ resourceNames = [] }) => resourceNames.includes('keys')),
      )
      return {
        named: variables.find(({ name }) => name === 'KEYS_SECRET')?.value,
        readIn: readers.map(({ metadata }) => metadata.namespace),
      }
    }
    expect(await checked({ existingSecret: 'keys' })).toEqual({ named: 'keys', readIn: ['space'] })
    expect(await checked({ existingSecret: 'keys', optional: true })).toEqual({ named: undefined, readIn: [] })
    expect(await checked({})).toEqual({ named: undefined, readIn: [] })
  })

  test('each process gets only the NATS password of its own role, and the edge gets none', async () => {
    const manifests = await render()
    const variables = (container: { env?: { name: string; valueFrom?: { secretKeyRef?: { key: string } } }[] }) =>
      (container.env ?? []).flatMap(({ name, valueFrom }) =>
        name.startsWith('NATS_') && valueFrom?.secretKeyRef ? [`${name} ${valueFrom.secretKeyRef.key}`] : [],
      )
    for (const role of ['listings', 'logs', 'music', 'operator']) {
      const { spec } = await deploymentOf(role, {})
      for (const container of [...spec.template.spec.initContainers, ...spec.template.spec.containers])
        for (const found of variables(container)) expect(found).toBe(`NATS_PASSWORD nats-${role}`)
    }
    const { spec: edge } = await deploymentOf('edge', {})
    expect(edge.template.spec.containers.flatMap(variables)).toEqual([])
    const templates = JSON.parse(
      manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json'],
    )
    for (const role of ['search', 'generation', 'branch'])
      expect(variables(templates[role])).toEqual([`NATS_PASSWORD nats-${role}`])
  })

  test('only processes that read or write files get the S3 keys', async () => {
    const manifests = await render({ s3: { endpoint: 'https://s3.example.com', existingSecret: 's3' } })
    const holds = (container: { env?: { name: string }[] }) =>
      (container.env ?? []).some(({ name }) => name === 'S3_SECRET_ACCESS_KEY')
    const holders = manifests.flatMap((manifest) => {
      const pod = podOf(manifest)
      const containers = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]
      return containers.some(holds) ? [manifest.metadata.name] : []
    })
    expect(holders.toSorted()).toEqual(['release-trellis-logs', 'release-trellis-music'])
    const templates = JSON.parse(
      manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json'],
    )
    expect(['search', 'generation', 'branch'].filter((role) => holds(templates[role]))).toEqual(['generation'])
  })

  test('with digests in the values every image is referenced by its digest', async () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
    const pinned = { bundled: { image: { digest } } }
    const manifests = await render({ image: { digest }, nats: pinned, database: pinned })
    const templates = JSON.parse(
      manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json'],
    )
    const containers = manifests.flatMap((manifest) => {
      const pod = podOf(manifest)
      return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]
    })
    const images = [...containers, ...Object.values<{ image: string }>(templates)].map(({ image }) => image)
    expect(images.length).toBeGreaterThan(10)
    expect(images.filter((image) => !image.endsWith(`@${digest}`))).toEqual([])
  })

  test('workers have an access key of their own for S3 if the values name one', async () => {
    const s3 = { endpoint: 'https://s3.example.com', existingSecret: 'owner', workers: { existingSecret: 'worker' } }
    const manifests = await render({ s3 })
    type Variable = { name: string; valueFrom?: { secretKeyRef?: { name: string } } }
    const keysOf = ({ env = [] }: { env?: Variable[] }) =>
      env.flatMap(({ name, valueFrom }) =>
        name.endsWith('S3_SECRET_ACCESS_KEY') ? [`${name} ${valueFrom?.secretKeyRef?.name}`] : [],
      )
    const ofService = (name: string) =>
      manifests
        .filter(({ metadata, kind }) => kind === 'Deployment' && metadata.name.endsWith(name))
        .flatMap((manifest) => podOf(manifest)?.containers.flatMap(keysOf) ?? [])
    expect(ofService('-logs')).toEqual(['S3_SECRET_ACCESS_KEY owner'])
    expect(ofService('-music')).toEqual(['S3_SECRET_ACCESS_KEY owner', 'WORKER_S3_SECRET_ACCESS_KEY worker'])
    const { generation } = JSON.parse(
      manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json'],
    )
    expect(keysOf(generation)).toEqual(['S3_SECRET_ACCESS_KEY worker'])
  })

  test('generation workers get NATS_FILES_API only for files in the bundled NATS', async () => {
    const apiOf = async (values: object) => {
      const manifests = await render(values)
      const { generation } = JSON.parse(
        manifests.find(({ metadata }) => metadata.name.endsWith('-workers'))?.data['workers.json'],
      )
      return generation.env.find(({ name }: { name: string }) => name === 'NATS_FILES_API')?.value
    }
    expect(await apiOf({ nats: { prefix: 'mine' } })).toBe('mine.js')
    expect(await apiOf({ s3: { endpoint: 'https://s3.example.com', existingSecret: 's3' } })).toBeUndefined()
    const external = { url: 'nats://nats.infra:4222', existingSecret: 'login', tokenKey: 'token' }
    expect(await apiOf({ nats: external })).toBeUndefined()
  })

  test.skipIf(natsMissing !== undefined).each([
    ['in NATS', {}],
    ['in S3', { nats: { prefix: 'mine' }, s3: { endpoint: 'https://s3.example.com', existingSecret: 's3' } }],
  ])('nats-server accepts the rendered configuration with files %s', async (_where, values) => {
    const text: string = (await render(values)).find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-nats'),
    )?.data['nats.conf']
    expect(text).not.toContain('NATSPREFIX')
    const directory = await mkdtemp(join(tmpdir(), 'trellis-chart-nats-'))
    try {
      const file = join(directory, 'nats.conf')
      await writeFile(file, text)
      const named = [...text.matchAll(/\$(NATS_PASSWORD_\w+)/g)].map(([, name = '']) => [name, `k${name}`])
      const env = { ...process.env, POD_NAME: 'nats-0', ...Object.fromEntries(named) }
      expect(named).toHaveLength(7)
      const { status, stderr } = spawnSync(natsCommand, ['-t', '--config', file], { env, encoding: 'utf8' })
      expect({ status, stderr }).toMatchObject({ status: 0 })
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  test.each([
    ['an issuer', { issuerRef: { name: 'internal' } }, 'release-trellis-rpc-tls', 2],
    ['a Secret', { existingSecret: 'mine' }, 'mine', 0],
  ])('rpc.tls with %s encrypts calls and disables gRPC probes', async (_what, tls, secret, certificates) => {
    const manifests = await render({ rpc: { tls }, operator: { watchNamespaces: ['team-a'] } })
    expect(manifests.filter(({ kind }) => kind === 'Certificate')).toHaveLength(certificates)
    for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
      const [container] = spec.template.spec.containers
      const names = container.env.map(({ name }: { name: string }) => name)
      const isPeer = !metadata.name.endsWith('demo-marketplace')
      for (const name of ['CERT_FILE', 'KEY_FILE', 'CA_FILE', 'SERVER_NAME'])
        expect(names.includes(`RPC_TLS_${name}`), `${metadata.name} ${name}`).toBe(isPeer)
      if (isPeer) expect(spec.template.spec.volumes).toContainEqual({ name: 'rpc-tls', secret: { secretName: secret } })
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        expect(container[probe]?.grpc, `${metadata.name} ${probe}`).toBeUndefined()
    }
  })

  test('every component has a Service with a metrics port if a ServiceMonitor is enabled', async () => {
    const services = (await render({ monitoring: { serviceMonitor: { enabled: true } } })).filter(
      ({ kind, spec }) => kind === 'Service' && spec.ports.some(({ name }: { name: string }) => name === 'metrics'),
    )
    const components = services.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'])
    expect(components).toEqual(expect.arrayContaining(['edge', 'listings', 'logs', 'music', 'operator']))
  })

  test('EDGE_HOSTS contains the hosts of the Ingress and the HTTPRoute', async () => {
    const manifests = await render({
      ingress: { enabled: true, hosts: ['shop.example'] },
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['route.example', '*.route.example'] },
      edge: { hosts: ['box'] },
    })
    const edge = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-edge'))
    const [container] = edge?.spec.template.spec.containers ?? []
    const hosts = container.env.find(({ name }: { name: string }) => name === 'EDGE_HOSTS').value.split(',')
    expect(hosts).toEqual(expect.arrayContaining(['shop.example', 'route.example', '*.route.example', 'box']))
  })

  test('the CRDs survive an uninstall unless crds.keep is false', async () => {
    const definitions = (await render()).filter(isDefinition)
    expect(definitions.map(({ spec }) => spec.names.kind).sort()).toEqual([
      'Branch',
      'GenerationJob',
      'Search',
      'WarmPool',
    ])
    for (const { metadata } of definitions) expect(metadata.annotations?.['helm.sh/resource-policy']).toBe('keep')
    for (const { metadata } of (await render({ crds: { keep: false } })).filter(isDefinition))
      expect(metadata.annotations?.['helm.sh/resource-policy']).toBeUndefined()
  })

  test('the migration Job gets a new name whenever its spec changes', async () => {
    const jobOf = async (values: object, ...args: string[]) =>
      (await render(values, ...args)).find(({ metadata }) => metadata.name.startsWith('release-trellis-migrate-'))
    const job = await jobOf({})
    expect(job?.kind).toBe('Job')
    expect(await jobOf({ commonLabels: { team: 'search' }, edge: { replicas: 5 } })).toMatchObject({ spec: job?.spec })
    const names = new Set([job?.metadata.name])
    for (const values of [
      { image: { tag: '9.9.9' } },
      { database: { existingSecret: 'postgres' } },
      { music: { enabled: false } },
      { migrations: { nodeSelector: { disk: 'fast' } } },
    ])
      names.add((await jobOf(values))?.metadata.name)
    expect(names.size).toBe(5)
  })

  test('a change of the worker templates restarts the operator', async () => {
    const checksum = async (values: object) =>
      (await deploymentOf('operator', values)).spec.template.metadata.annotations['checksum/workers']
    expect(await checksum({ workers: { search: { logLevel: 'debug' } } })).not.toBe(await checksum({}))
  })

  test('the operator gets the storage class of branches if one is set', async () => {
    const storageClass = async (values: object) =>
      (await deploymentOf('operator', values)).spec.template.spec.containers[0].env.find(
        ({ name }: { name: string }) => name === 'BRANCH_STORAGE_CLASS',
      )
    expect(await storageClass({ workers: { branch: { storageClass: 'fast' } } })).toMatchObject({ value: 'fast' })
    expect(await storageClass({})).toBeUndefined()
  })

  test('large numbers are written in digits: neither our processes nor NATS read an exponent', async () => {
    const manifests = await render({
      edge: { maximumStreams: 1_000_000 },
      logs: { retention: { days: 0.5, gigabytes: 1_000_000 } },
      operator: { runTtlSeconds: 2_592_000 },
      nats: { streamMegabytes: 1_048_576, bundled: { maximumFileStore: 8_589_934_592, maximumMemoryStore: '64Mi' } },
      database: { bundled: { settings: { wal_buffers: 2_097_152, jit: false, timezone: 'UTC' } } },
    })
    const text = JSON.stringify(manifests)
    expect(text).not.toMatch(/\de\+\d/)
    const set: [string, string][] = [
      ['MAX_STREAMS', '1000000'],
      ['SERVICE_RETENTION_DAYS', '0.5'],
      ['SERVICE_RETENTION_GB', '1000000'],
      ['RUN_TTL_SECONDS', '2592000'],
      ['NATS_STREAM_MB', '1048576'],
    ]
    for (const [name, value] of set) expect(text).toContain(JSON.stringify({ name, value }))
    const conf: string = manifests.find(({ data }) => data?.['nats.conf'])?.data['nats.conf']
    expect(conf).toMatch(/max_file_store: 8589934592\n +max_memory_store: 64Mi\n/)
    for (const setting of ['wal_buffers=2097152', 'jit=false', 'timezone=UTC']) expect(text).toContain(setting)
  })

  test('preStopSeconds: 0 renders no hook, since Kubernetes before 1.33 rejects a sleep of 0 seconds', async () => {
    const lifecycleOf = async (preStopSeconds: number) =>
      (await deploymentOf('music', { music: { preStopSeconds } })).spec.template.spec.containers[0].lifecycle
    expect(await lifecycleOf(7)).toEqual({ preStop: { sleep: { seconds: 7 } } })
    expect(await lifecycleOf(0)).toBeUndefined()
  })

  test('if all components have a CPU limit, every container has one, as a quota for CPU limits demands', async () => {
    const limited = { resources: { limits: { cpu: '500m' } } }
    const components = ['secrets', 'migrations', 'edge', 'listings', 'logs', 'music', 'operator', 'demoMarketplace']
    const manifests = await render({
      ...Object.fromEntries(components.map((component) => [component, limited])),
      nats: { bundled: limited },
      database: { bundled: limited },
    })
    const containers = manifests.flatMap(({ kind, spec }) => {
      const { initContainers = [], containers: own = [] } = (kind === 'Pod' ? spec : spec?.template?.spec) ?? {}
      return [...initContainers, ...own] as { name: string; resources?: { limits?: { cpu?: string } } }[]
    })
    expect(containers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['await-servers', 'adopt-store', 'follow-search']),
    )
    expect(containers.filter(({ resources }) => resources?.limits?.cpu !== '500m')).toEqual([])
  })

  test('replicas are left to the autoscaler if it is enabled', async () => {
    const edge = await deploymentOf('edge', { edge: { autoscaling: { enabled: true } } })
    expect(edge.spec).not.toHaveProperty('replicas')
  })

  test('components with several replicas have a disruption budget', async () => {
    const components = ['edge', 'listings', 'logs', 'music', 'operator', 'demoMarketplace']
    const budgets = async (replicas: number) =>
      (await render(Object.fromEntries(components.map((component) => [component, { replicas }])))).filter(
        ({ kind }) => kind === 'PodDisruptionBudget',
      )
    expect(await budgets(1)).toEqual([])
    expect(await budgets(2)).toHaveLength(components.length)
  })

  test('nothing is rendered for a disabled service', async () => {
    const values = { music: { enabled: false } }
    const named = (await render(values)).filter(
      ({ kind, metadata }) => kind !== 'NetworkPolicy' && metadata.name.includes('music'),
    )
    expect(named).toEqual([])
    const edge = await deploymentOf('edge', values)
    const names = edge.spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name)
    expect(names).toContain('LOGS_ADDRESS')
    expect(names).not.toContain('MUSIC_ADDRESS')
  })
})
