import { isServiceError } from '@trellis/kit/errors'
import { RunRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import { type KindsPlane, startKindsPlane } from '../../test/kinds-plane.ts'
import { type SearchTestbed, startSearchTestbed } from '../../test/search-testbed.ts'
import { searches } from '../crds/mod.ts'
import { searchNameOf } from '../search/search-object.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''

const subject = {
  query: 'thinkpad',
  mustInclude: ['x1'],
  mustIncludeMode: 'any',
  minPrice: 10,
  adapter: 'scraper',
  pages: 2,
}
const request = (runId: string, more: object = {}) =>
  RunRequest.fromPartial({
    runId,
    workload: 'WORKLOAD_SEARCH',
    input: Buffer.from(`plan of ${runId}`),
    activeDeadlineSeconds: 120,
    user: 'alice',
    search: subject,
    ...more,
  })

describe.skipIf(typeof programs === 'string')(`the workloads RPC on a real kube-apiserver${reason}`, () => {
  let plane: KindsPlane

  beforeAll(async () => {
    if (typeof programs === 'string') return
    plane = await startKindsPlane(programs)
  })

  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]()
  })

  const call = () => ({ signal: new AbortController().signal }) as never
  const run = (testbed: SearchTestbed, ...input: Parameters<typeof request>) =>
    testbed.rpc().run(request(...input), call())

  /** Waits until the operator's cache has the object of a run. */
  const untilSeen = (testbed: SearchTestbed, runId: string) =>
    eventually(() => testbed.store().by('run', runId).length > 0, 'the cache has the object')

  test('a requested run becomes one Search, with its input on the bus, and is not planned again', async () => {
    await using testbed = await startSearchTestbed(plane)
    expect(await run(testbed, 'session-1')).toEqual({ queued: true })
    expect(await testbed.input('session-1')).toBe('plan of session-1')
    await run(testbed, 'session-1')
    const { items } = await plane.client.list(searches, { namespace: testbed.namespace })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      metadata: { name: searchNameOf('session-1'), labels: { 'trellis.dev/run-id': 'session-1' } },
      spec: {
        query: 'thinkpad',
        filters: { mustInclude: ['x1'], mustIncludeMode: 'any', minPrice: 10 },
        adapter: 'scraper',
        pages: 2,
        user: 'alice',
        activeDeadlineSeconds: 120,
        ttlSecondsAfterFinished: 60,
      },
    })
    const [search] = items
    if (!search) throw new Error('There is no Search.')
    const pod = await testbed.untilPod(search)
    expect(await testbed.assigned(pod)).toBe('session-1')
    await testbed.publish('session-1', { $case: 'started', value: { worker: pod.metadata.name, warm: false } })
    // The cache that responses are read from lags behind the API server.
    await eventually(() => testbed.store().by('run', 'session-1')[0]?.status.phase === 'Running', 'the cache shows it')
    expect(testbed.planRequests).toEqual([])
    expect(await testbed.rpc().list({ workload: 'WORKLOAD_SEARCH' }, call())).toMatchObject({
      runs: [{ runId: 'session-1', workload: 'WORKLOAD_SEARCH', queued: false }],
    })
    expect(await testbed.rpc().capacity({ workload: 'WORKLOAD_SEARCH' }, call())).toMatchObject({
      total: 10,
      running: 1,
      queued: 0,
      mode: 'kubernetes',
    })
  })

  test('a run derived from an object gets its input, and no object is created', async () => {
    await using testbed = await startSearchTestbed(plane)
    const search = await testbed.search('applied')
    const runId = `obj-${search.metadata.uid}`
    expect(await run(testbed, runId)).toEqual({ queued: true })
    expect(await testbed.input(runId)).toBe(`plan of ${runId}`)
    expect((await plane.client.list(searches, { namespace: testbed.namespace })).items).toHaveLength(1)
  })

  test('a known run whose object is gone is reported as cancelled and not restarted', async () => {
    await using testbed = await startSearchTestbed(plane)
    expect(await run(testbed, 'session-2', { isKnown: true })).toEqual({ queued: false })
    expect(await testbed.reported('session-2', 'failed')).toMatchObject({ value: { reason: 'Cancelled' } })
    expect((await plane.client.list(searches, { namespace: testbed.namespace })).items).toEqual([])
  })

  test('requesting a failed run again reports its failure', async () => {
    await using testbed = await startSearchTestbed(plane)
    await run(testbed, 'session-3')
    await untilSeen(testbed, 'session-3')
    await testbed.rpc().cancel({ runId: 'session-3' }, call())
    const name = searchNameOf('session-3')
    await testbed.until(name, ({ status }) => status.phase === 'Failed', 'it fails')
    await eventually(() => testbed.store().by('run', 'session-3')[0]?.status.phase === 'Failed', 'the cache shows it')
    expect(await run(testbed, 'session-3')).toEqual({ queued: false })
    expect(await testbed.reported('session-3', 'failed')).toMatchObject({ value: { reason: 'Cancelled' } })
  })

  test('a child run goes to the worker of its parent, or fails if that has ended', async () => {
    await using testbed = await startSearchTestbed(plane)
    await run(testbed, 'session-4')
    const search = await plane.client.get(searches, { name: searchNameOf('session-4'), namespace: testbed.namespace })
    const pod = await testbed.untilPod(search)
    await testbed.run(pod)
    await testbed.assigned(pod)
    await untilSeen(testbed, 'session-4')
    const child = { parentRunId: 'session-4', search: null }
    await run(testbed, 'session-4-sellers', child)
    expect(await testbed.input('session-4-sellers')).toBe('plan of session-4-sellers')
    expect((await plane.client.list(searches, { namespace: testbed.namespace })).items).toHaveLength(1)
    await testbed.end(pod, 0, 'Completed')
    await eventually(async () => {
      await run(testbed, 'session-4-late', child)
      const reports = await Promise.race([
        testbed.reported('session-4-late', 'failed'),
        new Promise((resolve) => setTimeout(resolve, 200)),
      ])
      return reports !== undefined
    }, 'the worker is known to have ended')
    expect(await testbed.reported('session-4-late', 'failed')).toMatchObject({
      value: { reason: 'WorkerLost', kind: 'unavailable' },
    })
  })

  test.each([
    ['an id that cannot name a topic', 'A.B', {}, 'invalid'],
    ['a search with an empty query', 'session-5', { search: { ...subject, query: ' ' } }, 'invalid'],
    ['a search without a subject', 'session-6', { search: null }, 'invalid'],
    ['a workload that is not installed', 'session-7', { workload: 'WORKLOAD_GENERATION' }, 'unavailable'],
  ] as const)('%s is rejected', async (_, runId, more, kind) => {
    await using testbed = await startSearchTestbed(plane)
    await expect(run(testbed, runId, more)).rejects.toSatisfy((error) => isServiceError(error, kind))
  })

  test('runs beyond the queue limit are rejected with a retry delay', async () => {
    await using testbed = await startSearchTestbed(plane, { maxRuns: 1 })
    for (const number of [1, 2, 3]) {
      await run(testbed, `waiting-${number}`)
      await untilSeen(testbed, `waiting-${number}`)
    }
    await expect(run(testbed, 'waiting-4')).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 10 })
  })
})
