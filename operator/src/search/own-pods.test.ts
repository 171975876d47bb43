import { expect, test } from 'vitest'
import { createStore, systemClock } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { createOwnPods } from './own-pods.ts'

const pod = (version: number, owner = 'run', name = 'w'): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `uid-${name}`,
    resourceVersion: String(version),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Search', name: owner, uid: owner, controller: true }],
  },
})

const setUp = () => {
  const pods = createStore<Pod>()
  const time = { now: 0 }
  const ownPods = createOwnPods({ pods, clock: { ...systemClock, monotonic: () => time.now } })
  return { pods, ownPods, time, versions: () => ownPods.of('run').map(({ metadata }) => metadata.resourceVersion) }
}

test('a server response is used until the cache has caught up with it', () => {
  const { pods, ownPods, versions } = setUp()
  pods.put(pod(1, 'pool'))
  ownPods.note('run', pod(5))
  expect(versions()).toEqual(['5'])
  pods.put(pod(3, 'pool'))
  expect(versions()).toEqual(['5'])
  pods.put(pod(6))
  expect(versions()).toEqual(['6'])
})

test('a server response expires with the deletion of its pod and after a minute', () => {
  const { pods, ownPods, time, versions } = setUp()
  ownPods.note('run', pod(5))
  pods.put(pod(5))
  pods.remove(pod(7))
  expect(versions()).toEqual([])
  ownPods.note('run', pod(8, 'run', 'v'))
  expect(versions()).toEqual(['8'])
  time.now += 60_000
  expect(versions()).toEqual([])
})

test('a deleted pod is hidden although the cache still has it, but a new one of its name is not', () => {
  const { pods, ownPods, time, versions } = setUp()
  pods.put(pod(5))
  ownPods.note('run', pod(5))
  ownPods.removed(pod(5))
  expect(versions()).toEqual([])
  ownPods.note('run', { ...pod(8), metadata: { ...pod(8).metadata, uid: 'uid-next' } })
  expect(versions()).toEqual(['8'])
  // A deletion that the cache never confirms expires.
  time.now += 60_000
  expect(versions()).toEqual(['5'])
})

test('a created worker is live before it is in the cache, and a finished one is not', () => {
  const { pods, ownPods } = setUp()
  expect(ownPods.hasLive('run')).toBe(false)
  ownPods.note('run', pod(5))
  expect(ownPods.hasLive('run')).toBe(true)
  pods.put({ ...pod(6), status: { phase: 'Succeeded' } })
  expect(ownPods.hasLive('run')).toBe(false)
})
