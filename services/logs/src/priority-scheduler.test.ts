import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPriorityScheduler } from './priority-scheduler.ts'

/** Whether a promise is settled once everything else has run. */
const isSettled = async (promise: Promise<void>): Promise<boolean> => {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await setImmediate()
  return settled
}

test('tasks wait for those of higher priority, and resume when these have ended', async () => {
  const scheduler = createPriorityScheduler()
  const interactive = scheduler.begin('interactive')
  const batch = scheduler.begin('batch')
  const background = scheduler.begin('background')
  const first = batch.ready()
  const second = background.ready()
  expect(await isSettled(first)).toBe(false)
  interactive[Symbol.dispose]()
  expect(await isSettled(first)).toBe(true)
  expect(await isSettled(second)).toBe(false)
  batch[Symbol.dispose]()
  expect(await isSettled(second)).toBe(true)
})

test('tasks of the highest priority do not wait', async () => {
  const scheduler = createPriorityScheduler()
  using _other = scheduler.begin('interactive')
  using interactive = scheduler.begin('interactive')
  using _background = scheduler.begin('background')
  expect(await isSettled(interactive.ready())).toBe(true)
})

test('an endless task of higher priority starves no other', async () => {
  const scheduler = createPriorityScheduler()
  using _interactive = scheduler.begin('interactive')
  using background = scheduler.begin('background')
  await background.ready()
  await scheduler.afterInteractive(1)
})

test('waiting tasks resume in the order in which they came', async () => {
  const scheduler = createPriorityScheduler()
  const order: number[] = []
  const interactive = scheduler.begin('interactive')
  const all = [1, 2, 3].map((number) => scheduler.afterInteractive(10_000).then(() => order.push(number)))
  interactive[Symbol.dispose]()
  await Promise.all(all)
  expect(order).toEqual([1, 2, 3])
})
