import { createMetrics } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../test/simulation/mod.ts'
import { createRuntimeMetrics } from '../metrics.ts'
import { createQueue, resyncPriority } from './queue.ts'

const create = () => {
  const clock = createVirtualClock()
  const metrics = createMetrics({ processMetrics: false })
  return { clock, metrics, queue: createQueue({ name: 'test', clock, metrics: createRuntimeMetrics(metrics) }) }
}

test('a key that is added many times is handed out once', async () => {
  const { queue } = create()
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
  expect([await queue.take(), await queue.take(), queue.length]).toEqual(['a', 'b', 0])
})

test('a key that is added while in progress is handed out again only after that work is done', async () => {
  const { queue } = create()
  queue.add('a')
  await queue.take()
  queue.add('a')
  queue.add('a')
  let second: string | undefined
  const taking = queue.take().then((key) => (second = key))
  await new Promise(setImmediate)
  expect(second).toBeUndefined()
  queue.done('a')
  await taking
  expect(second).toBe('a')
  queue.done('a')
  expect(queue.length).toBe(0)
})

test('fresh keys precede resynced ones, also when the same key is added again', async () => {
  const { queue } = create()
  for (const key of ['old-1', 'old-2', 'old-3']) queue.add(key, resyncPriority)
  queue.add('new')
  queue.add('old-3')
  queue.add('old-2', resyncPriority - 1)
  expect([await queue.take(), await queue.take(), await queue.take(), await queue.take()]).toEqual([
    'new',
    'old-3',
    'old-1',
    'old-2',
  ])
})

test('backoff is 5 ms, doubled per failure up to 1,000 s, per key, until reset', async () => {
  const { queue, clock } = create()
  const waitFor = async (key: string) => {
    const since = clock.monotonic()
    queue.addRateLimited(key)
    await clock.until(() => queue.length > 0, 2_000_000)
    await queue.take()
    queue.done(key)
    return clock.monotonic() - since
  }
  expect([await waitFor('a'), await waitFor('a'), await waitFor('a')]).toEqual([5, 10, 20])
  expect(await waitFor('b')).toBe(5)
  for (let failures = 3; failures < 30; failures += 1) await waitFor('a')
  expect(await waitFor('a')).toBe(1_000_000)
  queue.resetBackoff('a')
  expect(await waitFor('a')).toBe(5)
})

test('of several delayed additions of a key the earliest wins', async () => {
  const { queue, clock } = create()
  queue.addAfter('a', 1_000)
  queue.addAfter('a', 300)
  queue.addAfter('a', 5_000)
  await clock.advance(299)
  expect([queue.length, queue.delayed]).toEqual([0, 1])
  await clock.advance(1)
  expect([queue.length, queue.delayed]).toEqual([1, 0])
  await clock.advance(10_000)
  expect(queue.length).toBe(1)
})

test('taking a key cancels its delayed additions, and one made meanwhile stays', async () => {
  const { queue, clock } = create()
  queue.addAfter('a', 1_000)
  queue.add('a')
  expect([await queue.take(), queue.delayed]).toEqual(['a', 0])
  queue.addAfter('a', 2_000)
  queue.done('a')
  await clock.advance(1_999)
  expect(queue.length).toBe(0)
  await clock.advance(1)
  expect(queue.length).toBe(1)
})

test('shutdown releases waiting workers, and no key is handed out afterwards', async () => {
  const { queue, clock } = create()
  const waiting = queue.take()
  queue.addAfter('later', 100)
  queue.shutdown()
  queue.add('a')
  await clock.advance(1_000)
  expect([await waiting, await queue.take(), queue.length, queue.delayed]).toEqual([undefined, undefined, 0, 0])
})

test('metrics report depth by priority, adds, retries and work durations', async () => {
  const { queue, clock, metrics } = create()
  queue.add('a')
  queue.add('b', resyncPriority)
  queue.addRateLimited('c')
  await queue.take()
  await clock.advance(2_000)
  const text = await metrics.render()
  const labels = 'name="test",controller="test"'
  expect(text).toContain(`workqueue_depth{${labels},priority="-100"} 1`)
  expect(text).toContain(`workqueue_depth{${labels},priority="0"} 1`)
  expect(text).toContain(`workqueue_adds_total{${labels}} 3`)
  expect(text).toContain(`workqueue_retries_total{${labels}} 1`)
  expect(text).toContain(`workqueue_longest_running_processor_seconds{${labels}} 2`)
  queue.done('a')
  expect(await metrics.render()).toContain(`workqueue_work_duration_seconds_sum{${labels}} 2`)
})
