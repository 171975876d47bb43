import { createMemoryBus } from '@trellis/kit/bus'
import { connectInProcess } from '@trellis/kit/rpc'
import { branchEvents } from '@trellis/kit/workloads'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import { type KindsPlane, startKindsPlane, untilIs } from '../../test/kinds-plane.ts'
import { recordLog } from '../../test/log-lines.ts'
import { operate, remember } from '../../test/operate.ts'
import { setQuota } from '../../test/set-quota.ts'
import { type Branch, type BranchSpecInput, branches } from '../crds/mod.ts'
import {
  type Client,
  conditionOf,
  isNotFound,
  type KubeObject,
  ownerReference,
  type Resource,
  resource,
} from '../runtime/mod.ts'
import { secrets } from '../secrets/secret-kind.ts'
import { pods } from '../workers/mod.ts'
import { writeEvent } from './branch-events.ts'
import { type Claim, claims, services, statefulSets } from './child-kinds.ts'
import { branchKind } from './kind.ts'
import { namesOf } from './names.ts'
import { settings } from './test-support.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

const storageClasses = resource<KubeObject & { provisioner: string; allowVolumeExpansion: boolean }>({
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
})

describe.skipIf(typeof programs === 'string')(`branches on a real kube-apiserver${reason}`, () => {
  let plane: KindsPlane

  beforeAll(async () => {
    if (typeof programs !== 'string') plane = await startKindsPlane(programs)
  })

  afterAll(() => plane?.[Symbol.asyncDispose]())

  /** With values that the API server returns differently: an empty text, and quantities in other units. */
  const template = {
    ...settings.template,
    env: [...(settings.template.env ?? []), { name: 'EMPTY', value: '' }],
    resources: { requests: { cpu: '1000m', memory: '1024Ki' }, limits: { memory: '0.5Gi' } },
  }

  /** An operator for the branches of a namespace, with helpers for the tests. */
  const farm = async () => {
    const { client } = plane
    const patched: string[] = []
    const observed: Client = {
      ...client,
      patch: (kind, target, ...rest) => {
        patched.push(target.name)
        return client.patch(kind, target, ...rest)
      },
    }
    const namespace = await plane.newNamespace()
    const bus = createMemoryBus()
    const { log, lines } = recordLog()
    const { kind, added } = remember(branchKind({ template, edgeUrl: 'https://logs.example.test', checkEvery: 1_000 }))
    const operator = operate({ client: observed, bus, log, namespace, instance: settings.instance }, [kind])
    const ref = (name: string) => ({ name, namespace })
    const read = (name: string) => client.get(branches, ref(name))
    return {
      client,
      /** The names of the objects that the operator has patched, in order. */
      patched,
      namespace,
      bus,
      lines,
      ref,
      read,
      rpc: connectInProcess(BranchesServiceDefinition, added().handlers),
      plant: (name: string, spec: BranchSpecInput, annotations: Record<string, string> = {}) =>
        client.create<Branch>(branches, { metadata: { name, namespace, annotations }, spec } as never),
      change: (name: string, body: object) => client.patch(branches, ref(name), { type: 'merge', body }),
      /** Waits until a branch is in a phase for a reason, for its latest generation. */
      until: (name: string, phase: string, why: string) =>
        untilIs(
          () => read(name),
          ({ status, metadata }) =>
            status.phase === phase &&
            status.observedGeneration === metadata.generation &&
            conditionOf(status.conditions, 'Ready')?.reason === why,
          `${name} is ${phase} (${why})`,
        ),
      isGone: async <T extends KubeObject>(kind: Resource<T>, name: string) => {
        try {
          await client.get(kind, ref(name))
          return false
        } catch (error) {
          if (isNotFound(error)) return true
          throw error
        }
      },
      /**
       * Does what the StatefulSet controller and a kubelet would do: a bound claim and a ready pod of the latest
       * version.
       */
      grow: async (branch: Branch, storageClassName?: string) => {
        const names = namesOf(branch)
        const set = await untilIs(
          () => client.get(statefulSets, ref(names.statefulSet)),
          ({ spec }) => spec?.replicas === 1,
          'the StatefulSet requests a pod',
        )
        const template = set.spec?.template
        const claim = set.spec?.volumeClaimTemplates[0]
        await client
          .create(claims, {
            metadata: { name: names.claim, namespace, labels: claim?.metadata.labels ?? {} },
            spec: {
              ...claim?.spec,
              ...(storageClassName ? { storageClassName } : {}),
              volumeName: 'volume-1',
            } as never,
          })
          .catch(() => undefined)
        const bound = { phase: 'Bound', capacity: claim?.spec.resources?.requests }
        await client.patch(
          claims,
          ref(names.claim),
          { type: 'merge', body: { status: bound } },
          { subresource: 'status' },
        )
        await client.create(pods, {
          metadata: {
            name: names.pod,
            namespace,
            labels: { ...template?.metadata.labels, 'controller-revision-hash': 'r1' },
            ownerReferences: [ownerReference(statefulSets, set)],
          },
          spec: { containers: [{ name: 'branch', image: 'example.test/none' }] } as never,
        })
        const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
        await client.patch(pods, ref(names.pod), { type: 'merge', body: { status: ready } }, { subresource: 'status' })
        const observed = { observedGeneration: set.metadata.generation, replicas: 1, updateRevision: 'r1' }
        await client.patch(
          statefulSets,
          ref(names.statefulSet),
          { type: 'merge', body: { status: observed } },
          { subresource: 'status' },
        )
      },
      removePod: (branch: Branch) => client.delete(pods, ref(namesOf(branch).pod), { gracePeriodSeconds: 0 }),
      /** Does what Kubernetes would do once no pod uses the volume: removes the claim's protection finalizer. */
      releaseClaim: (branch: Branch) =>
        client.patch(claims, ref(namesOf(branch).claim), { type: 'merge', body: { metadata: { finalizers: null } } }),
      [Symbol.asyncDispose]: async () => {
        await operator.stop()
        await bus[Symbol.asyncDispose]()
      },
    }
  }

  test('a branch is active with a ready pod, inactive without one, and active again with its volume', async () => {
    await using f = await farm()
    const planted = await f.plant('web', { label: 'Web Servers' })
    const names = namesOf(planted)
    const pending = await f.until('web', 'Pending', 'Starting')
    expect(pending.status).toMatchObject({
      port: 8538,
      secretName: names.secret,
      submitEndpoint: 'https://logs.example.test/logs/branches/web-servers/api/glean/batch',
    })
    expect((await f.client.get(services, f.ref(names.service))).spec?.ports[0]).toMatchObject({
      name: 'http',
      port: 8538,
    })
    await f.grow(planted)
    const active = await f.until('web', 'Active', 'Active')
    expect(conditionOf(active.status.conditions, 'Ready')).toMatchObject({ status: 'True', observedGeneration: 1 })

    await f.change('web', { spec: { state: 'Inactive' } })
    await f.until('web', 'Pending', 'Stopping')
    expect((await f.client.get(statefulSets, f.ref(names.statefulSet))).spec?.replicas).toBe(0)
    await f.removePod(planted)
    const resting = await f.until('web', 'Inactive', 'Inactive')
    expect(conditionOf(resting.status.conditions, 'Ready')?.status).toBe('True')
    expect((await f.client.get(claims, f.ref(names.claim))).metadata.deletionTimestamp).toBeUndefined()

    await f.change('web', { spec: { state: 'Active' } })
    await f.grow(planted)
    await f.until('web', 'Active', 'Active')
  })

  test('foreign changes are reverted; a new key is reported and restarts the pod', async () => {
    await using f = await farm()
    const planted = await f.plant('web', { slug: 'web' })
    const names = namesOf(planted)
    await f.grow(planted)
    await f.until('web', 'Active', 'Active')
    const set = await f.client.get(statefulSets, f.ref(names.statefulSet))
    await f.client.patch(statefulSets, f.ref(names.statefulSet), { type: 'merge', body: { spec: { replicas: 3 } } })
    await f.client.patch(services, f.ref(names.service), {
      type: 'merge',
      body: { spec: { selector: { stolen: 'yes' }, ports: [{ name: 'http', port: 1, targetPort: 1 }] } },
    })
    await untilIs(
      () => f.client.get(statefulSets, f.ref(names.statefulSet)),
      ({ spec }) => spec?.replicas === 1,
      'one replica again',
    )
    await untilIs(
      () => f.client.get(services, f.ref(names.service)),
      ({ spec }) => spec?.ports.find(({ name }) => name === 'http')?.port === 8538,
      'the port again',
    )
    await f.client.delete(services, f.ref(names.service))
    await eventually(async () => !(await f.isGone(services, names.service)), 'the Service is there again')

    const before = await f.client.get(secrets, f.ref(names.secret))
    await f.client.delete(secrets, f.ref(names.secret))
    await eventually(async () => !(await f.isGone(secrets, names.secret)), 'the Secret is there again')
    const after = await f.client.get(secrets, f.ref(names.secret))
    expect(after.data?.['api-key']).toBeTruthy()
    expect(after.data).not.toEqual(before.data)
    await untilIs(
      () => f.client.get(statefulSets, f.ref(names.statefulSet)),
      ({ spec }) =>
        JSON.stringify(spec?.template.metadata.annotations) !== JSON.stringify(set.spec?.template.metadata.annotations),
      'the pod template names another key',
    )
    await eventually(
      async () => (await plane.reasonsOf(f.namespace, 'web')).includes('KeyReplaced'),
      'the event is recorded',
    )
    await f.until('web', 'Active', 'Updating')
    const object = (name: string) => ({ object: `${f.namespace}/${name}` })
    await expect
      .poll(() => f.lines('repair: an object of a branch is corrected'))
      .toContainEqual(expect.objectContaining({ ...object(names.statefulSet), kind: 'StatefulSet' }))
    await expect
      .poll(() => f.lines('repair: a Service of a branch is corrected'))
      .toContainEqual(expect.objectContaining({ ...object(names.service), kind: 'Service' }))
    await expect
      .poll(() => f.lines('repair: the Secret of a branch is made again, with another key'))
      .toMatchObject([object(names.secret)])
  })

  test('a settled branch is not written again', async () => {
    await using f = await farm()
    const planted = await f.plant('web', { slug: 'web' })
    await f.grow(planted)
    await f.until('web', 'Active', 'Active')
    const names = namesOf(planted)
    const versions = async () => [
      (await f.read('web')).metadata.resourceVersion,
      (await f.client.get(statefulSets, f.ref(names.statefulSet))).metadata.resourceVersion,
      (await f.client.get(services, f.ref(names.service))).metadata.resourceVersion,
      (await f.client.get(secrets, f.ref(names.secret))).metadata.resourceVersion,
    ]
    const settled = await versions()
    const children: string[] = [names.statefulSet, names.service]
    const before = f.patched.filter((name) => children.includes(name))
    // Other branches are created meanwhile, so that everything is reconciled.
    await f.plant('other', { slug: 'other' })
    await f.until('other', 'Pending', 'Starting')
    await f.client.patch(pods, f.ref(names.pod), { type: 'merge', body: { metadata: { labels: { looked: 'at' } } } })
    await f.plant('third', { slug: 'third' })
    await f.until('third', 'Pending', 'Starting')
    expect(await versions()).toEqual(settled)
    expect(f.patched.filter((name) => children.includes(name))).toEqual(before)
    expect(f.lines('repair: an object of a branch is corrected')).toEqual([])
  })

  test('a slug belongs to the oldest, a port to its holder, and waiting branches get them once free', async () => {
    await using f = await farm()
    await f.plant('first', { slug: 'same', port: 9000 })
    await f.until('first', 'Pending', 'Starting')
    await f.plant('second', { slug: 'same' })
    await f.plant('third', { label: 'third', port: 9000 })
    const second = await f.until('second', 'Failed', 'SlugTaken')
    expect(conditionOf(second.status.conditions, 'Stalled')).toMatchObject({
      status: 'True',
      message: expect.stringContaining(`${f.namespace}/first`),
    })
    await f.until('third', 'Failed', 'PortTaken')
    await f.change('first', { spec: { port: null } })
    expect((await f.until('third', 'Failed', 'PortTaken')).status.port).toBeUndefined()
    await f.change('first', { spec: { port: 7777 } })
    expect((await f.until('third', 'Pending', 'Starting')).status.port).toBe(9000)
    const first = await f.read('first')
    await f.client.delete(branches, f.ref('first'))
    await eventually(() => f.isGone(branches, 'first'), 'the first is gone')
    // Its Service and Secret remain, as there is no garbage collection here.
    await f.until('second', 'Pending', 'NameTaken')
    const names = namesOf(first)
    await f.client.delete(services, f.ref(names.service))
    await f.client.delete(secrets, f.ref(names.secret))
    expect((await f.until('second', 'Pending', 'Starting')).status.port).toBe(8538)
  })

  test('a volume is deleted with its branch unless retained for the next one of the slug', async () => {
    await using f = await farm()
    const [gone, retained] = [await f.plant('gone', { slug: 'gone' }), await f.plant('retained', { slug: 'retained' })]
    for (const branch of [gone, retained]) await f.grow(branch)
    await f.until('retained', 'Active', 'Active')
    await f.until('gone', 'Active', 'Active')
    await f.change('retained', { metadata: { annotations: { 'trellis.dev/keep-volume': 'true' } } })
    for (const branch of [gone, retained]) {
      await f.client.delete(branches, f.ref(branch.metadata.name))
      await eventually(() => f.isGone(branches, branch.metadata.name), `${branch.metadata.name} is gone`)
      expect(await f.isGone(statefulSets, namesOf(branch).statefulSet)).toBe(true)
    }
    expect((await f.client.get(claims, f.ref(namesOf(gone).claim))).metadata.deletionTimestamp).toBeDefined()
    const held = await f.client.get(claims, f.ref(namesOf(retained).claim))
    expect(held.metadata.deletionTimestamp).toBeUndefined()

    for (const branch of [gone, retained]) {
      const names = namesOf(branch)
      await f.client.delete(services, f.ref(names.service))
      await f.client.delete(secrets, f.ref(names.secret))
      await f.removePod(branch)
      await f.plant(`${branch.metadata.name}-again`, { slug: branch.metadata.name })
    }
    await f.until('retained-again', 'Pending', 'Starting')
    const names = namesOf(retained)
    const set = await f.client.get(statefulSets, f.ref(names.statefulSet))
    expect(`${set.spec?.volumeClaimTemplates[0]?.metadata.name}-${set.metadata.name}-0`).toBe(held.metadata.name)
    // The other waits until the volume being deleted is gone.
    await f.until('gone-again', 'Pending', 'NameTaken')
    await f.releaseClaim(gone)
    await f.until('gone-again', 'Pending', 'Starting')
  })

  test('a branch deleted with --cascade=orphan leaves its StatefulSet and its volume', async () => {
    await using f = await farm()
    const planted = await f.plant('left', { slug: 'left' })
    await f.grow(planted)
    await f.until('left', 'Active', 'Active')
    await f.client.delete(branches, f.ref('left'), { propagationPolicy: 'Orphan' })
    const finalizersOf = async () => (await f.read('left')).metadata.finalizers
    await eventually(async () => (await finalizersOf())?.join() === 'orphan', 'only Kubernetes holds it back')
    // Kubernetes' garbage collector does the same after it has removed the owner references.
    await f.change('left', { metadata: { finalizers: null } })
    await eventually(() => f.isGone(branches, 'left'), 'it is gone')
    const names = namesOf(planted)
    const children = [
      await f.client.get(statefulSets, f.ref(names.statefulSet)),
      await f.client.get(claims, f.ref(names.claim)),
    ]
    expect(children.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined])
  })

  test.each(['pods', 'persistentvolumeclaims'])(
    'a branch whose %s exceed a quota is Refused, and Active once the quota is gone',
    async (resource) => {
      await using f = await farm()
      const quota = await setQuota(f.client, f.namespace, { [resource]: '0' })
      const planted = await f.plant('many', { slug: 'many' })
      const { status } = await f.until('many', 'Failed', 'Refused')
      expect(conditionOf(status.conditions, 'Stalled')).toMatchObject({
        status: 'True',
        message: expect.stringContaining('exceeded quota: few'),
      })
      await eventually(
        async () => (await plane.reasonsOf(f.namespace, 'many')).join() === 'Refused',
        'one event says so',
      )
      await quota.remove()
      await f.grow(planted)
      await f.until('many', 'Active', 'Active')
    },
  )

  test('a branch whose volume is already gone can be deleted', async () => {
    await using f = await farm()
    const planted = await f.plant('web', { slug: 'web' })
    await f.until('web', 'Pending', 'Starting')
    await f.client.delete(statefulSets, f.ref(namesOf(planted).statefulSet))
    await f.client.delete(branches, f.ref('web'))
    await eventually(() => f.isGone(branches, 'web'), 'it is gone')
  })

  test('a volume grows if its storage class allows it; otherwise only that is reported', async () => {
    await using f = await farm()
    for (const [name, allowVolumeExpansion] of [
      ['elastic', true],
      ['rigid', false],
    ] as const)
      await f.client.create(storageClasses, {
        metadata: { name: `${name}-${f.namespace}` },
        provisioner: 'example.test/none',
        allowVolumeExpansion,
      })
    for (const name of ['elastic', 'rigid']) {
      await f.grow(await f.plant(name, { slug: name }), `${name}-${f.namespace}`)
      await f.until(name, 'Active', 'Active')
      await f.change(name, { spec: { storage: '3Gi', retentionDays: 7 } })
    }
    const elastic = await f.read('elastic')
    const claim = f.ref(namesOf(elastic).claim)
    await untilIs(
      () => f.client.get(claims, claim),
      ({ spec }) => spec?.resources?.requests?.storage === '3Gi',
      'the claim requests more',
    )
    // The other changes are applied regardless.
    const observe = async (name: string) => {
      const ref = f.ref(namesOf(await f.read(name)).statefulSet)
      const set = await untilIs(
        () => f.client.get(statefulSets, ref),
        ({ spec }) =>
          spec?.template.spec.containers[0]?.env.some(
            (one) => one.name === 'BRANCH_RETENTION_DAYS' && one.value === '7',
          ) === true,
        'the StatefulSet has the other change',
      )
      await f.client.patch(
        statefulSets,
        ref,
        {
          type: 'merge',
          body: { status: { observedGeneration: set.metadata.generation, replicas: 1, updateRevision: 'r1' } },
        },
        { subresource: 'status' },
      )
    }
    await observe('elastic')
    await f.until('elastic', 'Active', 'VolumeGrowing')
    const report = (status: NonNullable<Claim['status']>) =>
      f.client.patch(claims, claim, { type: 'merge', body: { status } }, { subresource: 'status' })
    const expansion = { type: 'ControllerResizeError', status: 'True', message: 'The disks are full.' }
    await report({ allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' }, conditions: [expansion] })
    const failed = await f.until('elastic', 'Active', 'VolumeNotGrown')
    expect(conditionOf(failed.status.conditions, 'Stalled')).toMatchObject({
      status: 'True',
      message: 'Its volume cannot grow to 3Gi: The disks are full.',
    })
    await report({ capacity: { storage: '3Gi' } })
    await f.until('elastic', 'Active', 'Active')
    await observe('rigid')
    const rigid = await f.until('rigid', 'Active', 'VolumeNotGrown')
    expect(conditionOf(rigid.status.conditions, 'Stalled')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('storageclass'),
    })
    expect(await plane.reasonsOf(f.namespace, 'rigid')).toContain('VolumeNotGrown')
  })

  test('volumes of replicas added by hand are deleted with the Branch, those of others stay', async () => {
    await using f = await farm()
    const planted = await f.plant('wide', { slug: 'wide' })
    await f.until('wide', 'Pending', 'Starting')
    await f.grow(await f.read('wide'))
    const { claim, statefulSet } = namesOf(planted)
    const [added, other] = [claim.replace(/0$/, '1'), `${claim.replace(/0$/, '')}x-1`]
    const first = await f.client.get(claims, f.ref(claim))
    for (const name of [added, other])
      await f.client.create(claims, {
        metadata: { name, namespace: f.namespace, labels: first.metadata.labels ?? {} },
        spec: first.spec,
      } as never)
    await f.client.delete(branches, f.ref('wide'))
    await eventually(() => f.isGone(statefulSets, statefulSet), 'the StatefulSet is gone')
    await eventually(() => f.isGone(branches, 'wide'), 'the branch is gone')
    const left = async () =>
      (await f.client.list(claims, { namespace: f.namespace })).items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name)
    expect(await left()).toEqual([other])
  })

  test('a paused branch is not reconciled until it is resumed', async () => {
    await using f = await farm()
    const planted = await f.plant('still', { slug: 'still' }, { 'trellis.dev/paused': 'true' })
    await f.plant('other', { slug: 'other' })
    await f.until('other', 'Pending', 'Starting')
    expect((await f.read('still')).status).toEqual({ observedGeneration: -1 })
    expect(await f.isGone(statefulSets, namesOf(planted).statefulSet)).toBe(true)
    await f.change('still', { metadata: { annotations: { 'trellis.dev/paused': null } } })
    await f.until('still', 'Pending', 'Starting')
  })

  test('events of a branch update its status, and late ones do not', async () => {
    await using f = await farm()
    await f.plant('web', { slug: 'web' })
    await f.until('web', 'Pending', 'Starting')
    const publish = (entryCount: number, lastSeen: string) =>
      f.bus.enqueue(branchEvents, { slug: 'web', entryCount, lastSeen })
    const holds = (count: number) =>
      untilIs(
        () => f.read('web'),
        ({ status }) => status.entryCount === count,
        `it holds ${count}`,
      )
    await publish(12, '2026-03-01T09:15:02.750Z')
    expect((await holds(12)).status.lastSeen).toBe('2026-03-01T09:15:02Z')
    await f.bus.enqueue(branchEvents, { slug: 'unknown', entryCount: 1 })
    await publish(11, '2026-03-01T09:15:01Z')
    await publish(13, '2026-03-01T09:16:00Z')
    expect((await holds(13)).status).toMatchObject({ phase: 'Pending', port: 8538 })
  })

  test('a late event does not overwrite a newer one, even when judged by a stale branch', async () => {
    const { client } = plane
    const namespace = await plane.newNamespace()
    const { signal } = new AbortController()
    const known = await client.create<Branch>(branches, {
      metadata: { name: 'web', namespace },
      spec: { slug: 'web' },
    } as never)
    const publish = (entryCount: number, lastSeen: string) =>
      writeEvent(client, known, { slug: 'web', entryCount, lastSeen }, signal)
    await publish(12, '2026-03-01T09:15:02Z')
    await publish(11, '2026-03-01T09:15:01Z')
    const status = async () => (await client.get(branches, { name: 'web', namespace })).status
    expect(await status()).toMatchObject({ entryCount: 12, lastSeen: '2026-03-01T09:15:02Z' })
    await publish(13, '2026-03-01T09:15:03Z')
    expect(await status()).toMatchObject({ entryCount: 13 })
  })

  test('services graft a branch, get its key, see it, and turn it off and on', async () => {
    await using f = await farm()
    const grafted = await f.rpc.graftBranch({
      slug: 'web',
      label: 'Web',
      retentionDays: 7,
      storage: '2Gi',
      anonymize: true,
    })
    const { service, secret, claim } = namesOf(await f.read('web'))
    expect(grafted.branch).toMatchObject({
      slug: 'web',
      label: 'Web',
      active: true,
      ready: false,
      port: 8538,
      httpAddress: expect.stringMatching(new RegExp(`^http://(${service}.${f.namespace}.svc|10[.0-9]+):8538$`)),
      rpcAddress: `${service}.${f.namespace}.svc:9000`,
      dataDir: `volume claim ${claim}`,
      retentionDays: 7,
      anonymize: true,
    })
    const { data } = await f.client.get(secrets, f.ref(secret))
    expect(Buffer.from(data?.['api-key'] ?? '', 'base64').toString()).toBe(grafted.apiKey)
    expect(Buffer.from(grafted.apiKey, 'base64url')).toHaveLength(32)

    await expect(f.rpc.graftBranch({ slug: 'web' })).rejects.toMatchObject({ kind: 'conflict' })
    await expect(f.rpc.graftBranch({ slug: 'bad', storage: 'much' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(f.rpc.setBranchState({ slug: 'none', active: true })).rejects.toMatchObject({ kind: 'not_found' })

    await f.grow(await f.read('web'))
    await f.until('web', 'Active', 'Active')
    await f.plant('by-hand', { label: 'By hand' })
    await f.until('by-hand', 'Pending', 'Starting')
    const { branches: listed } = await f.rpc.listBranches({})
    expect(listed.map(({ slug, ready }) => [slug, ready]).sort()).toEqual([
      ['by-hand', false],
      ['web', true],
    ])
    const { spec } = await f.client.get(services, f.ref(service))
    expect(listed.find(({ slug }) => slug === 'web')?.httpAddress).toBe(`http://${spec?.clusterIP}:8538`)
    expect((await f.rpc.setBranchState({ slug: 'web', active: false })).active).toBe(false)
    await f.until('web', 'Pending', 'Stopping')
    expect((await f.rpc.setBranchState({ slug: 'web', active: true })).active).toBe(true)
  })
})
