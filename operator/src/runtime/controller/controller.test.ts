import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../test/simulation/mod.ts'
import { ApiError } from '../client/api-error.ts'
import { createRuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import { toSelf } from '../objects/owners.ts'
import { createStore } from '../store/store.ts'
import { type ControllerOptions, createController, type Reconcile } from './controller.ts'
import { whenChanged } from './mappers.ts'
import { done, requeueAfter, retry, terminal } from './result.ts'

const start = (reconcile: Reconcile, options: Partial<ControllerOptions> = {}) => {
  const clock = createVirtualClock()
  const metrics = createMetrics({ processMetrics: false })
  const stop = new AbortController()
  const controller = createController({
    name: 'test',
    reconcile,
    clock,
    log: silentLog,
    metrics: createRuntimeMetrics(metrics),
    ...options,
  })
  let ended = false
  const run = (drain?: number) => controller.run(stop.signal, drain).then(() => (ended = true))
  const counted = async (name: string) => (await metrics.render()).split('\n').filter((line) => line.startsWith(name))
  return { clock, controller, stop: () => stop.abort(), run, counted, hasEnded: () => ended }
}

test('each result has its effect: nothing, a later reconcile, backoff, nothing', async () => {
  const times: number[] = []
  const results = [retry(new Error('no')), retry(new Error('no')), requeueAfter(1_000), terminal(new Error('never'))]
  const { clock, controller, run, counted } = start(async () => {
    times.push(clock.monotonic())
    return results.shift() ?? done
  })
  void run()
  controller.queue.add('a')
  await clock.advance(10_000)
  expect(times).toEqual([0, 5, 15, 1_015])
  controller.queue.add('a')
  await clock.advance(1_000_000)
  expect(times).toHaveLength(5)
  expect(await counted('controller_runtime_reconcile_total')).toEqual([
    'controller_runtime_reconcile_total{controller="test",result="success"} 1',
    'controller_runtime_reconcile_total{controller="test",result="requeue_after"} 1',
    'controller_runtime_reconcile_total{controller="test",result="error"} 2',
    'controller_runtime_reconcile_total{controller="test",result="terminal_error"} 1',
  ])
  expect(await counted('controller_runtime_reconcile_errors_total')).toEqual([
    'controller_runtime_reconcile_errors_total{controller="test"} 3',
  ])
})

test('a reconcile that throws is retried; an API error does not count as a panic', async () => {
  const errors = [new TypeError('boom'), new ApiError(409, { reason: 'Conflict' })]
  let calls = 0
  const { clock, controller, run, counted } = start(async () => {
    calls += 1
    const error = errors.shift()
    if (error) throw error
    return done
  })
  void run()
  controller.queue.add('a')
  await clock.advance(1_000)
  expect(calls).toBe(3)
  expect(await counted('controller_runtime_reconcile_panics')).toEqual([
    'controller_runtime_reconcile_panics_total{controller="test"} 1',
  ])
})

test('a reconcile that exceeds its time limit is aborted, counted and retried', async () => {
  let calls = 0
  const { clock, controller, run, counted } = start(
    async (_, { signal }) => {
      calls += 1
      if (calls === 1) await clock.sleep(1_000_000, signal)
      return done
    },
    { timeout: 10_000 },
  )
  void run()
  controller.queue.add('a')
  await clock.advance(10_100)
  expect(calls).toBe(2)
  expect(await counted('controller_runtime_reconcile_timeouts')).toEqual([
    'controller_runtime_reconcile_timeouts_total{controller="test"} 1',
  ])
})

test('up to `workers` keys are reconciled concurrently, and never one key twice', async () => {
  const working = new Set<string>()
  let [max, twice] = [0, false]
  const { clock, controller, run } = start(
    async (key) => {
      twice ||= working.has(key)
      working.add(key)
      max = Math.max(max, working.size)
      controller.queue.add('a')
      await clock.sleep(100)
      working.delete(key)
      return done
    },
    { workers: 3 },
  )
  void run()
  for (const key of ['a', 'b', 'c', 'd', 'e']) controller.queue.add(key)
  await clock.advance(2_000)
  expect([max, twice]).toEqual([3, false])
})

test('on stop, running reconciles finish and none is started', async () => {
  const finished: string[] = []
  const { clock, controller, run, stop, hasEnded } = start(async (key) => {
    await clock.sleep(5_000)
    finished.push(key)
    return requeueAfter(1)
  })
  void run()
  for (const key of ['a', 'b']) controller.queue.add(key)
  await clock.advance(1_000)
  stop()
  await clock.advance(3_000)
  expect(hasEnded()).toBe(false)
  await clock.advance(100_000)
  expect([finished, hasEnded()]).toEqual([['a'], true])
})

test('a reconcile that outlasts the drain is aborted, and abandoned if it ignores its signal', async () => {
  let aborted = false
  const { clock, controller, run, stop, hasEnded } = start((_, { signal }) => {
    signal.addEventListener('abort', () => (aborted = true))
    return new Promise(() => undefined)
  })
  void run(30_000)
  controller.queue.add('a')
  await clock.advance(100)
  stop()
  await clock.advance(29_999)
  expect([aborted, hasEnded()]).toEqual([false, false])
  await clock.advance(1)
  expect([aborted, hasEnded()]).toEqual([true, false])
  await clock.advance(5_000)
  expect(hasEnded()).toBe(true)
})

test('initial objects are reconciled after live changes', async () => {
  const seen: string[] = []
  const { clock, controller, run } = start(async (key) => {
    seen.push(key)
    return done
  })
  const store = createStore<KubeObject>()
  const object = (name: string) => ({ metadata: { name, uid: name, resourceVersion: '1' } })
  store.replace({ objects: [object('old-1'), object('old-2')], version: '1', initial: true })
  controller.watch(store, toSelf)
  store.put(object('new'))
  void run()
  await clock.advance(1)
  expect(seen).toEqual(['new', 'old-1', 'old-2'])
})

test('changes that may wait share one reconcile, which an urgent change brings forward', async () => {
  const times: number[] = []
  const { clock, controller, run } = start(async () => {
    times.push(clock.monotonic())
    return done
  })
  const store = createStore<KubeObject>()
  controller.watch(store, toSelf, ({ type }) => (type === 'deleted' ? 0 : 1_000))
  void run()
  const object = (version: number) => ({ metadata: { name: 'a', uid: 'a', resourceVersion: String(version) } })
  store.put(object(1))
  await clock.advance(400)
  store.put(object(2))
  await clock.advance(2_000)
  store.put(object(3))
  await clock.advance(100)
  store.remove(object(4))
  await clock.advance(5_000)
  expect(times).toEqual([1_000, 2_500])
})

test('changes of what is not read enqueue nothing', async () => {
  const seen: string[] = []
  const { clock, controller, run } = start(async (key) => {
    seen.push(key)
    return done
  })
  const store = createStore<KubeObject>()
  const object = (name: string, version: number, labels = {}) => ({
    metadata: { name, uid: name, resourceVersion: String(version), labels },
  })
  controller.watch(
    store,
    whenChanged(({ metadata: { labels } }) => labels, toSelf),
  )
  void run()
  for (const name of ['unread', 'read']) store.put(object(name, 1))
  await clock.advance(1)
  store.put(object('unread', 2))
  store.put(object('read', 2, { app: 'x' }))
  await clock.advance(1)
  expect(seen).toEqual(['unread', 'read', 'read'])
})

test('all objects are resynced periodically, after live changes, until stopped', async () => {
  const seen: string[] = []
  const { clock, controller, run, stop } = start(
    async (key) => {
      seen.push(key)
      if (seen.length === 3) controller.queue.add('new')
      return done
    },
    { resyncAfter: 60_000 },
  )
  const store = createStore<KubeObject>()
  controller.watch(store, toSelf)
  for (const name of ['a', 'b']) store.put({ metadata: { name, uid: name, resourceVersion: '1' } })
  void run()
  await clock.advance(119_000)
  expect(seen).toEqual(['a', 'b', 'a', 'new', 'b'])
  stop()
  await clock.advance(600_000)
  expect(seen).toHaveLength(5)
})
