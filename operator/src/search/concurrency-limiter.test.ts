import { expect, test } from 'vitest'
import { createStore, systemClock } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

/** A limiter with two slots and a manual clock. */
const createLimiter = () => {
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

test('only the maximum number get slots, and holders retain theirs', () => {
  const { limiter, put, take } = createLimiter()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  put('a', 'Running')
  expect([take('a'), take('b'), take('c'), limiter.taken]).toEqual([true, true, false, 2])
})

test('waiting Searches are woken in FIFO order when a pod ends, and none jumps the queue', () => {
  const { put, take, woken } = createLimiter()
  for (const uid of ['a', 'b']) put(uid, 'Running')
  expect([take('c'), take('d')]).toEqual([false, false])
  put('a', 'Succeeded')
  expect(woken).toEqual(['n/c'])
  expect([take('d'), take('c'), take('d')]).toEqual([false, true, false])
})

test('a Search that leaves the queue is skipped', () => {
  const { limiter, put, take, woken } = createLimiter()
  for (const uid of ['a', 'b']) put(uid, 'Running')
  expect([take('c'), take('d')]).toEqual([false, false])
  limiter.leave('c')
  put('b', 'Succeeded')
  expect(woken).toEqual(['n/d'])
  expect(take('d')).toBe(true)
})

test('a Search that leaves with a worker not yet in the cache holds its slot until that ends', () => {
  const { limiter, put, take, woken } = createLimiter()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  limiter.leave('a', true)
  expect([take('c'), limiter.taken]).toEqual([false, 2])
  put('a', 'Running')
  expect(take('c')).toBe(false)
  put('a', 'Succeeded')
  expect(woken).toEqual(['n/c'])
  expect(take('c')).toBe(true)
})

test('a reserved slot that is never filled is freed after a minute', () => {
  const { limiter, take, time } = createLimiter()
  expect([take('a'), take('b'), take('c')]).toEqual([true, true, false])
  time.now += 60_001
  expect(limiter.taken).toBe(0)
  expect(take('c')).toBe(true)
})
