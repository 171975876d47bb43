import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import { type KindsPlane, startKindsPlane } from '../../test/kinds-plane.ts'
import { type SearchTestbed, startSearchTestbed } from '../../test/search-testbed.ts'
import { setQuota } from '../../test/set-quota.ts'
import { type Search, searches, warmPools } from '../crds/mod.ts'
import { conditionOf, ownerReference } from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

const hasFailed = ({ status }: Search) => status.phase === 'Failed'
const isComplete = ({ status }: Search) => status.phase === 'Complete'
const isRunning = ({ status }: Search) => status.phase === 'Running'
const readyOf = ({ status }: Search) => conditionOf(status.conditions, 'Ready')
const hasReason = (word: string) => (search: Search) => readyOf(search)?.reason === word

const worked = { $case: 'worked', value: {} } as const
const concluded = { $case: 'concluded', value: { listingsFound: 41, marketPrice: 512.5 } } as never

describe.skipIf(typeof programs === 'string')(`Searches on a real kube-apiserver${reason}`, () => {
  let plane: KindsPlane

  beforeAll(async () => {
    if (typeof programs === 'string') return
    plane = await startKindsPlane(programs)
  })

  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]()
  })

  /** Starts the pod of a run and publishes its worker's start. */
  const start = async (testbed: SearchTestbed, pod: Pod, warm = false) => {
    await testbed.run(pod)
    const runId = await testbed.assigned(pod)
    await testbed.publish(runId, { $case: 'started', value: { worker: pod.metadata.name, warm } })
    return runId
  }

  /** Creates a Search whose worker is running. */
  const running = async (testbed: SearchTestbed, name: string, spec: object = {}) => {
    const search = await testbed.search(name, spec)
    const pod = await testbed.untilPod(search)
    const runId = await start(testbed, pod)
    return { search: await testbed.until(name, isRunning, 'it runs'), pod, runId }
  }

  test('a cold Search is planned, started in its own pod, completed and removed after its TTL in four requests', async () => {
    await using testbed = await startSearchTestbed(plane)
    const made = await testbed.search('cold', { ttlSecondsAfterFinished: 60, filters: { maxPrice: 700 } })
    const pod = await testbed.untilPod(made)
    expect(pod.metadata.labels).toMatchObject({
      'app.kubernetes.io/component': 'search-worker',
      'trellis.dev/run-id': `obj-${made.metadata.uid}`,
    })
    const runId = await start(testbed, pod)
    expect(runId).toBe(`obj-${made.metadata.uid}`)
    await eventually(() => testbed.planRequests.length > 0, 'its plan is requested')
    expect(testbed.planRequests).toMatchObject([
      { runId, activeDeadlineSeconds: 300, search: { query: 'thinkpad', maxPrice: 700, pages: 1, adapter: 'auto' } },
    ])
    const atWork = await testbed.until('cold', isRunning, 'it runs')
    expect(atWork.status).toMatchObject({ sessionId: runId, podName: pod.metadata.name, warm: false })
    expect(readyOf(atWork)).toMatchObject({ status: 'False', reason: 'Running', observedGeneration: 1 })
    await testbed.publish(runId, worked)
    await testbed.publish(runId, concluded)
    const complete = await testbed.until('cold', isComplete, 'it is complete')
    expect(complete.status).toMatchObject({ listingsFound: 41, marketPrice: 512.5, sessionId: runId })
    expect(readyOf(complete)).toMatchObject({ status: 'True', reason: 'Finished', message: 'It found 41 listings.' })
    expect(conditionOf(complete.status.conditions, 'Complete')?.status).toBe('True')
    await testbed.released(pod)
    await testbed.end(pod, 0, 'Completed')
    testbed.skip(61_000, 'cold')
    await eventually(() => testbed.isGone('cold'), 'it is removed')
    // The watch may report the deletion before its response arrives.
    await expect.poll(testbed.writes).toEqual(['create pods', 'status searches', 'status searches', 'delete searches'])
    await expect
      .poll(() => testbed.lines('a run ended'))
      .toMatchObject([
        {
          workload: 'search',
          runId,
          object: `${testbed.namespace}/cold`,
          phase: 'Complete',
          reason: 'Finished',
          seconds: expect.any(Number),
          pod: pod.metadata.name,
          detail: 'It found 41 listings.',
        },
      ])
    const counted = await testbed.metrics()
    expect(counted).toContain('trellis_run_start_duration_seconds_count{workload="search",warm="false"} 1')
    expect(counted).toContain('trellis_runs_ended_total{workload="search",phase="Complete",reason="Finished"} 1')
  })

  test('a Search claims an idle worker, and its status shows it', async () => {
    await using testbed = await startSearchTestbed(plane)
    await testbed.pool(1)
    await eventually(async () => (await testbed.poolPods()).length === 1, 'the pool has a pod')
    const [idle] = (await testbed.poolPods()) as [Pod]
    await testbed.run(idle)
    await eventually(async () => {
      const [pool] = (await plane.client.list(warmPools, { namespace: testbed.namespace })).items
      return pool?.status.readyReplicas === 1
    }, 'the worker is idle')
    const made = await testbed.search('warm')
    const pod = await testbed.untilPod(made)
    expect(pod.metadata.uid).toBe(idle.metadata.uid)
    const runId = await start(testbed, pod, true)
    const atWork = await testbed.until('warm', isRunning, 'it runs')
    expect(atWork.status).toMatchObject({ podName: idle.metadata.name, warm: true })
    await testbed.publish(runId, worked)
    await testbed.publish(runId, concluded)
    await testbed.until('warm', isComplete, 'it is complete')
    // The watch may deliver a write before its own response arrives, which is when it is recorded.
    const ours = () => testbed.writes().filter((write) => write.endsWith('searches') || write === 'patch pods')
    await expect.poll(ours).toEqual(['patch pods', 'status searches', 'status searches'])
  })

  test('a lost worker is replaced once; a second loss fails the run, and listeners are notified', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, pod, runId } = await running(testbed, 'lost')
    await testbed.lose(pod)
    const second = await testbed.untilPod(search, ({ metadata }) => metadata.uid !== pod.metadata.uid)
    expect(await start(testbed, second)).toBe(runId)
    const again = await testbed.until(
      'lost',
      ({ status }) => status.phase === 'Running' && status.podName === second.metadata.name,
      'the second runs',
    )
    expect(again.status.startTime).toBe(search.status.startTime)
    await testbed.lose(second)
    const failed = await testbed.until('lost', hasFailed, 'it fails')
    expect(readyOf(failed)).toMatchObject({ status: 'False', reason: 'WorkerLost' })
    expect(conditionOf(failed.status.conditions, 'Stalled')?.status).toBe('True')
    expect(await testbed.reported(runId, 'failed')).toMatchObject({
      value: { reason: 'WorkerLost', kind: 'unavailable' },
    })
    expect(await testbed.podsOf(search)).toEqual([])
    const object = `${testbed.namespace}/lost`
    await expect
      .poll(() => testbed.lines('repair: a lost worker is replaced'))
      .toMatchObject([{ runId, object, because: `Its pod ${pod.metadata.name} is gone.` }])
    await expect
      .poll(() => testbed.lines('a run ended'))
      .toMatchObject([{ runId, object, phase: 'Failed', reason: 'WorkerLost', pod: second.metadata.name }])
  })

  test('a second worker of a run is ended, and logged as a repair', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, pod, runId } = await running(testbed, 'twice')
    const { labels = {} } = pod.metadata
    const surplus = await plane.client.create(pods, {
      metadata: {
        name: 'surplus',
        namespace: testbed.namespace,
        labels,
        ownerReferences: [ownerReference(searches, search)],
      },
      spec: { containers: [{ name: 'worker', image: 'example.test/none' }] } as never,
    })
    await eventually(async () => (await testbed.podsOf(search)).length === 1, 'the second worker is ended')
    expect((await testbed.podsOf(search))[0]?.metadata.uid).toBe(pod.metadata.uid)
    await expect
      .poll(() => testbed.lines('repair: a second worker of a run is ended'))
      .toMatchObject([{ runId, object: `${testbed.namespace}/twice`, pod: surplus.metadata.name }])
  })

  test('an evicted worker is replaced, and its pod is retained for inspection', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, pod, runId } = await running(testbed, 'evicted')
    await testbed.setPod(pod, { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' })
    const second = await testbed.untilPod(search, ({ metadata }) => metadata.uid !== pod.metadata.uid)
    await start(testbed, second)
    await testbed.publish(runId, concluded)
    await testbed.until('evicted', isComplete, 'it is complete')
    expect(await testbed.podsOf(search)).toHaveLength(2)
  })

  test('a worker that exceeds its memory limit fails the run at once, with an event', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { pod, runId, search } = await running(testbed, 'oom')
    await testbed.end(pod, 137, 'OOMKilled')
    const failed = await testbed.until('oom', hasFailed, 'it fails')
    expect(readyOf(failed)?.reason).toBe('OOMKilled')
    expect(await testbed.reported(runId, 'failed')).toMatchObject({ value: { reason: 'OOMKilled', kind: 'internal' } })
    expect(await testbed.podsOf(search)).toHaveLength(1)
    const reported = () => plane.reasonsOf(testbed.namespace, 'oom')
    await eventually(async () => (await reported()).length > 0, 'an event is recorded')
    expect(await reported()).toEqual(['OOMKilled'])
  })

  test('an image that can never be pulled fails the run before its deadline', async () => {
    await using testbed = await startSearchTestbed(plane)
    const pod = await testbed.untilPod(await testbed.search('misnamed'))
    await testbed.setPod(pod, {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'worker',
          image: 'w',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: 'InvalidImageName', message: 'the name cannot be read' } },
        },
      ],
    })
    const failed = await testbed.until('misnamed', hasFailed, 'it fails')
    expect(readyOf(failed)?.reason).toBe('ImagePull')
  })

  test('a run fails at its deadline, and its worker is stopped', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, runId } = await running(testbed, 'slow', { activeDeadlineSeconds: 300 })
    await testbed.change('slow', { activeDeadlineSeconds: 1 })
    const failed = await testbed.until('slow', hasFailed, 'it fails')
    expect(readyOf(failed)).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'The run took longer than 1 s.',
      observedGeneration: 2,
    })
    expect(await testbed.reported(runId, 'failed')).toMatchObject({
      value: { reason: 'DeadlineExceeded', kind: 'upstream_timeout' },
    })
    await eventually(async () => (await testbed.podsOf(search)).length === 0, 'the worker is ended')
  })

  test('a worker that succeeds without a report fails the run after a timeout', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { pod } = await running(testbed, 'mute')
    await testbed.end(pod, 0, 'Completed')
    await eventually(async () => {
      testbed.skip(10_000, 'mute')
      return hasFailed(await testbed.get('mute'))
    }, 'it fails')
    expect(readyOf(await testbed.get('mute'))?.reason).toBe('NoReport')
  })

  test("a worker's failure waits for the verdict of the service", async () => {
    await using testbed = await startSearchTestbed(plane)
    const { runId } = await running(testbed, 'refused')
    const failure = {
      reason: 'Refused',
      detail: 'The marketplace refused.',
      kind: 'upstream_failed',
      retryAfterSeconds: null,
    }
    await testbed.publish(runId, { $case: 'failed', value: failure })
    testbed.skip(10_000, 'refused')
    expect((await testbed.get('refused')).status.phase).toBe('Running')
    await testbed.publish(runId, {
      $case: 'concluded',
      value: { failure: { ...failure, reason: 'MarketplaceRefused' } },
    } as never)
    const failed = await testbed.until('refused', hasFailed, 'it fails')
    expect(readyOf(failed)).toMatchObject({ reason: 'MarketplaceRefused', message: 'The marketplace refused.' })
  })

  test("a worker's failure is final if its service is silent", async () => {
    await using testbed = await startSearchTestbed(plane)
    const { runId } = await running(testbed, 'silent')
    const value = {
      reason: 'Refused',
      detail: 'The marketplace refused.',
      kind: 'upstream_failed',
      retryAfterSeconds: null,
    }
    await testbed.publish(runId, { $case: 'failed', value })
    await eventually(async () => {
      testbed.skip(10_000, 'silent')
      return hasFailed(await testbed.get('silent'))
    }, 'it fails')
    expect(readyOf(await testbed.get('silent'))?.reason).toBe('Refused')
  })

  test('a suspended Search loses its worker and session; resumed, it is a new run', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, pod, runId } = await running(testbed, 'paused')
    await testbed.change('paused', { suspend: true })
    const held = await testbed.until('paused', hasReason('Suspended'), 'it is suspended')
    expect(held.status).toMatchObject({ phase: 'Pending', observedGeneration: 2 })
    expect(held.status.sessionId).toBeUndefined()
    expect(held.status.startTime).toBeUndefined()
    expect(await testbed.reported(runId, 'failed')).toMatchObject({ value: { reason: 'Suspended' } })
    await eventually(async () => (await testbed.podsOf(search)).length === 0, 'the worker is ended')
    await expect
      .poll(() => testbed.lines('a run ended'))
      .toMatchObject([
        {
          workload: 'search',
          runId,
          object: `${testbed.namespace}/paused`,
          phase: 'Failed',
          reason: 'Suspended',
          seconds: expect.any(Number),
          pod: pod.metadata.name,
        },
      ])
    await testbed.change('paused', { suspend: false })
    const next = await testbed.untilPod(search, ({ metadata }) => metadata.uid !== pod.metadata.uid)
    const nextRun = await start(testbed, next)
    expect(nextRun).toBe(`obj-${search.metadata.uid}-3`)
    const again = await testbed.until('paused', isRunning, 'it runs again')
    expect(again.status.sessionId).toBe(nextRun)
    expect(testbed.planRequests.map((planRequest) => planRequest.runId)).toEqual([runId, nextRun])
  })

  test('a cancelled run ends, and listeners are notified', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, runId } = await running(testbed, 'unwanted')
    await testbed.rpc().cancel({ runId }, {} as never)
    const failed = await testbed.until('unwanted', hasFailed, 'it fails')
    expect(readyOf(failed)?.reason).toBe('Cancelled')
    expect(await testbed.reported(runId, 'failed')).toMatchObject({ value: { reason: 'Cancelled', kind: 'conflict' } })
    await eventually(async () => (await testbed.podsOf(search)).length === 0, 'the worker is ended')
  })

  test('listeners of a running Search are notified of its deletion', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { pod, runId } = await running(testbed, 'deleted')
    await testbed.remove('deleted')
    expect(await testbed.reported(runId, 'failed')).toMatchObject({ value: { reason: 'Cancelled' } })
    await expect
      .poll(() => testbed.lines('a run ended'))
      .toMatchObject([
        {
          workload: 'search',
          runId,
          object: `${testbed.namespace}/deleted`,
          phase: 'Failed',
          reason: 'Cancelled',
          seconds: expect.any(Number),
          pod: pod.metadata.name,
          detail: 'The Search was deleted.',
        },
      ])
  })

  test('a Search created suspended has no run, so no end is logged', async () => {
    await using testbed = await startSearchTestbed(plane)
    const search = await testbed.search('never', { suspend: true })
    await testbed.until('never', hasReason('Suspended'), 'it is suspended')
    await testbed.remove('never')
    await testbed.reported(`obj-${search.metadata.uid}-1`, 'failed')
    expect(testbed.lines('a run ended')).toEqual([])
  })

  test('scheduler messages are passed on, and a waiting pod gets no replacement', async () => {
    await using testbed = await startSearchTestbed(plane)
    const made = await testbed.search('waiting')
    const pod = await testbed.untilPod(made)
    const words = '0/3 nodes are available: 3 Insufficient memory.'
    await testbed.setPod(pod, {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: words }],
    })
    const waiting = await testbed.until('waiting', hasReason('Unschedulable'), 'its status has the reason')
    expect(readyOf(waiting)?.message).toBe(`No node: ${words}`)
    expect(waiting.status.phase).toBe('Pending')
    testbed.skip(120_000, 'waiting')
    const runId = await start(testbed, pod)
    expect((await testbed.until('waiting', isRunning, 'it runs')).status.sessionId).toBe(runId)
    expect(await testbed.podsOf(made)).toHaveLength(1)
  })

  test('a Search whose pod is unschedulable takes a worker that becomes idle, and never has two pods', async () => {
    await using testbed = await startSearchTestbed(plane, { maxRuns: 1 })
    const made = await testbed.search('outrun')
    const own = await testbed.untilPod(made)
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes.' }]
    await testbed.setPod(own, { conditions })
    await testbed.until('outrun', hasReason('Unschedulable'), 'it is unschedulable')
    await testbed.pool(1)
    await eventually(async () => (await testbed.poolPods()).length === 1, 'the pool has a pod')
    const [idle] = (await testbed.poolPods()) as [Pod]
    await testbed.run(idle)
    // A claim can lose to a write to the idle pod; the pod that is then created again is unschedulable, too.
    await eventually(async () => {
      const pods = await testbed.podsOf(made)
      expect(pods.length).toBeLessThan(2)
      const [pod] = pods.filter(({ metadata, status }) => metadata.uid !== idle.metadata.uid && !status?.conditions)
      if (pod) await testbed.setPod(pod, { conditions })
      return pods.some(({ metadata }) => metadata.uid === idle.metadata.uid)
    }, 'it has the idle worker')
    const claimed = await testbed.untilPod(made, ({ metadata }) => metadata.uid === idle.metadata.uid)
    expect((await testbed.podsOf(made)).map(({ metadata }) => metadata.name)).toEqual([claimed.metadata.name])
    const runId = await start(testbed, claimed, true)
    expect((await testbed.until('outrun', isRunning, 'it runs')).status).toMatchObject({
      sessionId: runId,
      podName: idle.metadata.name,
      warm: true,
    })
  })

  test('a Search whose second pod is unschedulable takes an idle worker as its last attempt', async () => {
    await using testbed = await startSearchTestbed(plane, { maxRuns: 1 })
    const { search, pod, runId } = await running(testbed, 'again')
    await testbed.lose(pod)
    const own = await testbed.untilPod(search, ({ metadata }) => metadata.uid !== pod.metadata.uid)
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes.' }]
    await testbed.setPod(own, { conditions })
    await testbed.until('again', hasReason('Unschedulable'), 'it is unschedulable')
    await testbed.pool(1)
    await eventually(async () => (await testbed.poolPods()).length === 1, 'the pool has a pod')
    const [idle] = (await testbed.poolPods()) as [Pod]
    await testbed.run(idle)
    await eventually(async () => {
      const found = await testbed.podsOf(search)
      expect(found.length).toBeLessThan(2)
      const [made] = found.filter(({ metadata, status }) => metadata.uid !== idle.metadata.uid && !status?.conditions)
      if (made) await testbed.setPod(made, { conditions })
      return found.some(({ metadata }) => metadata.uid === idle.metadata.uid)
    }, 'it has the idle worker')
    const claimed = await testbed.untilPod(search, ({ metadata }) => metadata.uid === idle.metadata.uid)
    expect(await start(testbed, claimed, true)).toBe(runId)
    const again = await testbed.until('again', isRunning, 'it runs')
    expect(again.status).toMatchObject({ podName: idle.metadata.name, warm: true, attempts: 2 })
    await testbed.lose(claimed)
    expect(readyOf(await testbed.until('again', hasFailed, 'it fails'))?.reason).toBe('WorkerLost')
    await expect.poll(() => testbed.lines('repair: a lost worker is replaced')).toHaveLength(1)
  })

  test('a lost worker is replaced by an idle one', async () => {
    await using testbed = await startSearchTestbed(plane)
    await testbed.pool(2)
    await eventually(async () => (await testbed.poolPods()).length === 2, 'the pool has its pods')
    for (const idle of await testbed.poolPods()) await testbed.run(idle)
    await eventually(async () => {
      const [pool] = (await plane.client.list(warmPools, { namespace: testbed.namespace })).items
      return pool?.status.readyReplicas === 2
    }, 'both workers are idle')
    const search = await testbed.search('warm-again')
    const pod = await testbed.untilPod(search)
    await start(testbed, pod, true)
    await testbed.until('warm-again', isRunning, 'it runs')
    await testbed.lose(pod)
    const second = await testbed.untilPod(search, ({ metadata }) => metadata.uid !== pod.metadata.uid)
    expect(second.metadata.annotations).toMatchObject({ 'trellis.dev/run-attempt': '2' })
    const status = { podName: second.metadata.name, warm: true, attempts: 2 }
    await start(testbed, second, true)
    await testbed.until('warm-again', (now) => now.status.podName === second.metadata.name && isRunning(now), 'it runs')
    expect((await testbed.get('warm-again')).status).toMatchObject(status)
    // The second worker is lost now.
    await testbed.restart()
    await testbed.lose(second)
    expect(readyOf(await testbed.until('warm-again', hasFailed, 'it fails'))?.reason).toBe('WorkerLost')
  })

  test('a Search whose pod a quota rejects reports it, and starts once the quota allows', async () => {
    await using testbed = await startSearchTestbed(plane)
    const quota = await setQuota(plane.client, testbed.namespace, { pods: '0' })
    const search = await testbed.search('refused-pod')
    const waiting = await testbed.until('refused-pod', hasReason('Unschedulable'), 'it waits')
    expect(waiting.status.phase).toBe('Pending')
    expect(readyOf(waiting)?.message).toMatch(/^Quota or policy: the API server refused the pod: .*exceeded quota: few/)
    expect(await testbed.podsOf(search)).toEqual([])
    await quota.remove()
    await eventually(async () => {
      testbed.skip(10_000, 'refused-pod')
      return (await testbed.podsOf(search)).length === 1
    }, 'it has a pod')
  })

  test('a Search beyond the run limit waits until another ends', async () => {
    await using testbed = await startSearchTestbed(plane, { maxRuns: 1 })
    const { runId, pod } = await running(testbed, 'first')
    const second = await testbed.search('second')
    const waiting = await testbed.until('second', hasReason('Unschedulable'), 'it waits')
    expect(waiting.status.startTime).toBeUndefined()
    expect(readyOf(waiting)?.message).toBe(
      'Run limit: 1 searches, the maximum, have workers. This one starts when one of them ends.',
    )
    expect(await testbed.podsOf(second)).toEqual([])
    await testbed.publish(runId, worked)
    await testbed.publish(runId, concluded)
    await testbed.until('first', isComplete, 'the first is complete')
    await testbed.end(pod, 0, 'Completed')
    await testbed.untilPod(second)
  })

  test('a restarted operator continues a run', async () => {
    await using testbed = await startSearchTestbed(plane)
    const { search, pod, runId } = await running(testbed, 'continued')
    await testbed.restart()
    await testbed.publish(runId, worked)
    await testbed.publish(runId, concluded)
    const complete = await testbed.until('continued', isComplete, 'it is complete')
    expect(complete.status.podName).toBe(pod.metadata.name)
    expect(await testbed.podsOf(search)).toHaveLength(1)
  })
})
