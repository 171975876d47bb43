import { expect, test } from 'vitest'
import { createStore, systemClock } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

/** Room for two, with a clock that is put forward by hand. */
const roomForTwo = () => {
  const pods = createStore<Pod>()
  const woken: string[] = []
  const time = { now: 0 }
  const clock = { ...systemClock, monotonic: () => time.now }
  const limiter = createConcurrencyLimiter({
    pods,
    total: 2,
    clock,
    isCounted: () => true,
    wake: (key) => void woken.push(key),
  })
  let version = 0
  const put = (owner: string, phase: 'Running' | 'Succeeded') => {
    version += 1
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Search', name: owner, uid: owner, controller: true }]
    const metadata = {
      name: `pod-${owner}`,
      namespace: 'n',
      uid: `pod-${owner}`,
      resourceVersion: String(version),
      ownerReferences,
    }
    pods.put({ metadata, status: { phase } })
  }
  return { limiter, put, woken, time, take: (uid: string) => limiter.take(uid, `n/${uid}`) }
}

test('so many have room as may run, and who had it keeps it', () => {
  const { limiter, put, take } = roomForTwo()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  put('a', 'Running')
  expect([take('a'), take('b'), take('c'), limiter.taken]).toEqual([true, true, false, 2])
})

test('who waits is woken in turn when a pod ends, and nobody goes before', () => {
  const { put, take, woken } = roomForTwo()
  for (const uid of ['a', 'b']) put(uid, 'Running')
  expect([take('c'), take('d')]).toEqual([false, false])
  put('a', 'Succeeded')
  expect(woken).toEqual(['n/c'])
  expect([take('d'), take('c'), take('d')]).toEqual([false, true, false])
})

test('who leaves the line is not waited for', () => {
  const { limiter, put, take, woken } = roomForTwo()
  for (const uid of ['a', 'b']) put(uid, 'Running')
  expect([take('c'), take('d')]).toEqual([false, false])
  limiter.leave('c')
  put('b', 'Succeeded')
  expect(woken).toEqual(['n/d'])
  expect(take('d')).toBe(true)
})

test('who leaves with a worker that does not show yet keeps the place until that has ended', () => {
  const { limiter, put, take, woken } = roomForTwo()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  limiter.leave('a', true)
  expect([take('c'), limiter.taken]).toEqual([false, 2])
  put('a', 'Running')
  expect(take('c')).toBe(false)
  put('a', 'Succeeded')
  expect(woken).toEqual(['n/c'])
  expect(take('c')).toBe(true)
})

test('a place that was promised and never filled is free again after a minute', () => {
  const { limiter, take, time } = roomForTwo()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  time.now += 60_001
  expect(limiter.taken).toBe(0)
  expect(take('c')).toBe(true)
})
