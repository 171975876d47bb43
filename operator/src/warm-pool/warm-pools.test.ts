import { createMemoryBus } from '@trellis/kit/bus'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectAs, newNamespace } from '../../test/api-server.ts'
import { findControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import { recordLog } from '../../test/log-lines.ts'
import { operate } from '../../test/operate.ts'
import { setQuota } from '../../test/set-quota.ts'
import { type Search, searches, type WarmPool, type WarmPoolSpecInput, warmPools } from '../crds/mod.ts'
import { type InstalledKinds, installKinds } from '../crds/test-support.ts'
import type { KindSurroundings } from '../operator.ts'
import type { Claims } from '../runs/mod.ts'
import { type Client, conditionOf, controllerOf, type Draft, events, ownerReference } from '../runtime/mod.ts'
import { annotation, label, type Pod, pods, type WorkerTemplate } from '../workers/mod.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

const template = (image: string): WorkerTemplate => ({ image, command: ['worker'] })

describe.skipIf(typeof programs === 'string')(`pools on a real kube-apiserver${reason}`, () => {
  let installed: InstalledKinds
  let client: Client & AsyncDisposable
  let namespace = ''
  let operator: { claims: Claims; stop: () => Promise<void> }
  let recorded = recordLog()

  beforeAll(async () => {
    if (typeof programs === 'string') return
    installed = await installKinds(programs)
    client = connectAs(installed.kubeconfig)
  })

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await installed?.[Symbol.asyncDispose]()
  })

  /** Starts an operator with only pools, until `stop`, which interrupts whatever it does. */
  const startOperator = (image = 'trellis:1') => {
    let claims: Claims | undefined
    const onlyClaims = (surroundings: KindSurroundings) => {
      claims = surroundings.claims
      return {}
    }
    const templates = { search: template(image), generation: template(image) }
    const { log } = recorded
    const { stop } = operate({ client, bus: createMemoryBus(), log, namespace, templates, drain: 0 }, [onlyClaims])
    if (!claims) throw new Error('The operator did not call its kind.')
    return { claims, stop }
  }

  beforeEach(async () => {
    namespace = await newNamespace(client)
    recorded = recordLog()
    operator = startOperator()
  })

  afterEach(async () => {
    await operator.stop()
  })

  const makePool = (spec: Partial<WarmPoolSpecInput> = {}, name = 'pool') =>
    client.create(warmPools, {
      metadata: { name, namespace },
      spec: { workload: 'search', replicas: 3, ...spec },
    } as unknown as Draft<WarmPool>)

  const makeSearch = (name: string) =>
    client.create(searches, { metadata: { name, namespace }, spec: { query: 'lamp' } } as unknown as Draft<Search>)

  const claim = async (name: string) => {
    const owner = ownerReference(searches, await makeSearch(name))
    return operator.claims.claim({ workload: 'search', namespace, owner, runId: name })
  }

  const listPods = async () => (await client.list(pods, { namespace })).items
  const idlePods = async () => (await listPods()).filter((pod) => controllerOf(pod)?.kind === 'WarmPool')
  const poolNow = (name = 'pool') => client.get(warmPools, { name, namespace })
  const readyOf = ({ status }: WarmPool) => conditionOf(status.conditions, 'Ready')

  const setStatus = (pod: Pod, status: NonNullable<Pod['status']>) =>
    client.patch(pods, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })

  const becomeReady = (pod: Pod) =>
    setStatus(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })

  const fail = (pod: Pod) => {
    const terminated = { exitCode: 1, reason: 'Error', message: 'no bus', finishedAt: new Date().toISOString() }
    return setStatus(pod, {
      phase: 'Failed',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'worker', ready: false, restartCount: 0, state: { terminated }, image: 'a', imageID: 'a' } as never,
      ],
    })
  }

  /** Acts as the kubelet: deletes unbound pods at once and makes pending ones ready. */
  const allReady = async (count: number) => {
    await eventually(async () => (await idlePods()).length === count, `${count} pods are idle`)
    for (const pod of await idlePods()) if (pod.status?.phase === 'Pending') await becomeReady(pod)
    await eventually(async () => (await poolNow()).status.readyReplicas === count, `the status shows ${count}`)
  }

  test('a pool is filled, and current once its workers are ready', async () => {
    await makePool()
    await eventually(async () => (await poolNow()).status.replicas === 3, 'the status counts three pods')
    expect(readyOf(await poolNow())).toMatchObject({ status: 'False', reason: 'Starting' })
    await allReady(3)
    const { status, metadata } = await poolNow()
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, claimed: 0, observedGeneration: metadata.generation })
    expect(readyOf(await poolNow())).toMatchObject({ status: 'True', reason: 'Waiting' })
    const selected = await client.list(pods, { namespace, labelSelector: status.selector ?? '' })
    expect(selected.items).toHaveLength(3)
  })

  test('a claim transfers an idle worker, and another replaces it', async () => {
    await makePool()
    await allReady(3)
    const pod = await claim('lamp')
    expect(pod && controllerOf(pod)).toMatchObject({ kind: 'Search', name: 'lamp' })
    expect(pod?.metadata.labels).toMatchObject({ [label.runId]: 'lamp', [label.workload]: 'search' })
    expect(pod?.metadata.labels).not.toHaveProperty([label.pool])
    expect(pod?.metadata.annotations).toMatchObject({ [annotation.claim]: '1' })
    await allReady(3)
    await eventually(async () => (await poolNow()).status.claimed === 1, 'the claim is counted')
    expect(await listPods()).toHaveLength(4)
  })

  test('a claim is idempotent, and concurrent claims get distinct pods', async () => {
    await makePool()
    await allReady(3)
    const names = ['a', 'b', 'c']
    const first = await Promise.all(names.map(claim))
    expect(new Set(first.map((pod) => pod?.metadata.uid)).size).toBe(3)
    const [a] = first
    const owner = a && controllerOf(a)
    if (!owner) throw new Error('the run has no pod')
    const again = await operator.claims.claim({ workload: 'search', namespace, owner, runId: 'a' })
    expect(again?.metadata.uid).toBe(a.metadata.uid)
    expect(await claim('d')).toBeUndefined()
  })

  test('a pod that changed or was claimed by another operator is claimed only once', async () => {
    await makePool({ replicas: 1 })
    await allReady(1)
    const rival = startOperator()
    const [mine, theirs] = await Promise.all([
      claim('mine'),
      (async () => {
        const owner = ownerReference(searches, await makeSearch('theirs'))
        return rival.claims.claim({ workload: 'search', namespace, owner, runId: 'theirs' })
      })(),
    ])
    await rival.stop()
    expect([mine, theirs].filter((pod) => pod !== undefined)).toHaveLength(1)
    const claimed = (await listPods()).filter((pod) => controllerOf(pod)?.kind === 'Search')
    expect(claimed.map(({ metadata }) => metadata.uid)).toEqual(
      [mine, theirs].flatMap((pod) => (pod ? [pod.metadata.uid] : [])),
    )
  })

  test('kubectl scale works, and removes pods that are not ready first', async () => {
    await makePool()
    await eventually(async () => (await idlePods()).length === 3, 'three pods are idle')
    const [one] = await idlePods()
    if (!one) throw new Error('there is no pod')
    await becomeReady(one)
    await eventually(async () => (await poolNow()).status.readyReplicas === 1, 'one is ready')
    const scale = await client.setScale(warmPools, { name: 'pool', namespace }, 1)
    expect(scale.spec?.replicas).toBe(1)
    await eventually(async () => (await idlePods()).length === 1, 'one pod is left')
    expect((await idlePods())[0]?.metadata.uid).toBe(one.metadata.uid)
    await eventually(async () => readyOf(await poolNow())?.status === 'True', 'the pool is current')
    expect((await client.getScale(warmPools, { name: 'pool', namespace })).status).toMatchObject({ replicas: 1 })
  })

  test('a failing worker is replaced with backoff, and the pool reports it', async () => {
    await makePool({ replicas: 1 })
    for (const attempt of [1, 2]) {
      await eventually(async () => (await idlePods()).some(({ status }) => status?.phase === 'Pending'), 'it is there')
      const [pod] = (await idlePods()).filter(({ status }) => status?.phase === 'Pending')
      if (!pod) throw new Error('there is no pod')
      expect(pod.metadata.annotations?.[annotation.attempt] ?? '0').toBe(String(attempt - 1))
      await fail(pod)
    }
    await eventually(async () => readyOf(await poolNow())?.reason === 'WorkerLost', 'the pool reports the failure')
    expect(readyOf(await poolNow())?.message).toContain('2 workers in a row ended')
    expect(conditionOf((await poolNow()).status.conditions, 'Stalled')?.status).toBe('True')
    await eventually(
      async () => (await client.list(events, { namespace })).items.some(({ reason: word }) => word === 'WorkerLost'),
      'an event is recorded',
    )
    const [first] = recorded.lines('repair: a lost idle worker is replaced')
    expect(first).toMatchObject({
      workload: 'search',
      object: `${namespace}/pool`,
      pod: expect.stringContaining(`${namespace}/`),
      because: expect.stringContaining('no bus'),
    })
  })

  test('a deleted idle worker is replaced and logged; claims and scaling down are not losses', async () => {
    await makePool()
    await allReady(3)
    await claim('lamp')
    await allReady(3)
    const [pod] = await idlePods()
    if (!pod) throw new Error('there is no pod')
    await client.delete(pods, pod.metadata, { gracePeriodSeconds: 0 })
    await eventually(
      async () => (await idlePods()).every(({ metadata }) => metadata.uid !== pod.metadata.uid),
      'it is gone',
    )
    await allReady(3)
    await client.setScale(warmPools, { name: 'pool', namespace }, 1)
    await eventually(async () => (await idlePods()).length === 1, 'one pod is left')
    await client.setScale(warmPools, { name: 'pool', namespace }, 2)
    await allReady(2)
    await expect
      .poll(() => recorded.lines('repair: a lost idle worker is replaced'))
      .toMatchObject([
        {
          workload: 'search',
          object: `${namespace}/pool`,
          pod: `${namespace}/${pod.metadata.name}`,
          because: 'Its pod is gone.',
        },
      ])
  })

  test('outdated workers are replaced one at a time, while the others can be claimed', async () => {
    await makePool()
    await allReady(3)
    const before = new Set((await idlePods()).map(({ metadata }) => metadata.uid))
    await operator.stop()
    operator = startOperator('trellis:2')
    let fewest = 3
    await eventually(async () => {
      const waiting = await idlePods()
      const ready = waiting.filter(({ status }) => status?.phase === 'Running')
      fewest = Math.min(fewest, ready.length)
      for (const pod of waiting) if (pod.status?.phase === 'Pending') await becomeReady(pod)
      return waiting.length === 3 && waiting.every(({ metadata }) => !before.has(metadata.uid))
    }, 'all are of the new template')
    expect(fewest).toBeGreaterThanOrEqual(2)
    expect(new Set((await idlePods()).map(({ spec }) => spec?.containers?.[0]?.image))).toEqual(new Set(['trellis:2']))
  })

  test('the claim count and the workers survive an operator restart', async () => {
    await makePool({ replicas: 2 })
    await allReady(2)
    await claim('first')
    await operator.stop()
    operator = startOperator()
    await allReady(2)
    await eventually(async () => (await poolNow()).status.claimed === 1, 'the claim before is counted')
    await claim('second')
    await eventually(async () => (await poolNow()).status.claimed === 2, 'both are counted')
    expect(await listPods()).toHaveLength((await idlePods()).length + 2)
  })

  test('an unused pool rests, also after an operator restart, and wakes with a run', async () => {
    await makePool({ replicas: 2, idleSeconds: 2 })
    await eventually(async () => readyOf(await poolNow())?.reason === 'Resting', 'the pool rests')
    expect(await idlePods()).toHaveLength(0)
    expect(readyOf(await poolNow())?.status).toBe('True')
    await operator.stop()
    operator = startOperator()
    expect(await claim('early')).toBeUndefined()
    await eventually(async () => (await idlePods()).length === 2, 'the pool is filled again')
  })

  test('a quota is reported, without a storm of requests', async () => {
    await setQuota(client, namespace, { pods: '1' })
    await makePool()
    await eventually(async () => readyOf(await poolNow())?.reason === 'Refused', 'the pool reports the rejection')
    expect(readyOf(await poolNow())?.message).toContain('exceeded quota')
    expect((await idlePods()).length).toBeLessThanOrEqual(1)
  })

  test('an unschedulable worker is waited for, and never recreated', async () => {
    await makePool({ replicas: 1 })
    await eventually(async () => (await idlePods()).length === 1, 'a pod is idle')
    const [pod] = await idlePods()
    if (!pod) throw new Error('there is no pod')
    const message = '0/1 nodes are available: 1 Insufficient cpu.'
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const
    await setStatus(pod, { phase: 'Pending', conditions: [scheduled] })
    await eventually(async () => readyOf(await poolNow())?.reason === 'Unschedulable', 'the pool reports the reason')
    expect(readyOf(await poolNow())?.message).toContain(message)
    expect(conditionOf((await poolNow()).status.conditions, 'Reconciling')?.status).toBe('True')
    expect((await idlePods()).map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid])
  })
})
