import { createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Control, controlOf } from '../results/updates.ts'
import { createSearchLifetime } from './search-lifetime.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const create = (options = {}) => {
  const bus = createMemoryBus()
  const ending = new AbortController()
  const lifetime = createSearchLifetime({ bus, log: silentLog, signal: ending.signal }, 'search', 600, options)
  /** Publishes a control event and waits until the lifetime has received it. */
  const send = async (kind: Control['kind']) => {
    await bus.publish<Control>(controlOf('search'), { kind })
    await new Promise(setImmediate)
  }
  return { lifetime, send, ending }
}

test('a search without followers yet continues', async () => {
  const { lifetime } = create()
  await vi.advanceTimersByTimeAsync(500_000)
  expect(lifetime.signal.aborted).toBe(false)
  lifetime.release()
})

test('a search stops 30 s after its last follower leaves', async () => {
  const { lifetime, send } = create()
  for (const kind of ['joined', 'joined', 'left'] as const) await send(kind)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lifetime.signal.aborted).toBe(false)
  await send('left')
  await vi.advanceTimersByTimeAsync(29_000)
  expect(lifetime.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1_001)
  expect(lifetime.signal.aborted).toBe(true)
  expect(lifetime.isTimedOut()).toBe(false)
  lifetime.release()
})

test('a search that needs no followers continues after the last has left', async () => {
  const { lifetime, send } = create({ needsFollowers: false })
  for (const kind of ['joined', 'left'] as const) await send(kind)
  await vi.advanceTimersByTimeAsync(500_000)
  expect(lifetime.signal.aborted).toBe(false)
  await send('cancel')
  expect(lifetime.signal.aborted).toBe(true)
  lifetime.release()
})

test('a follower that returns in time keeps a search running', async () => {
  const { lifetime, send } = create()
  for (const kind of ['joined', 'left'] as const) await send(kind)
  await vi.advanceTimersByTimeAsync(29_000)
  await send('joined')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lifetime.signal.aborted).toBe(false)
  lifetime.release()
})

test('a search stops at once when it is cancelled or the service shuts down', async () => {
  const cancelled = create()
  await cancelled.send('cancel')
  expect(cancelled.lifetime.signal.aborted).toBe(true)
  cancelled.lifetime.release()
  const ended = create()
  ended.ending.abort()
  expect(ended.lifetime.signal.aborted).toBe(true)
  ended.lifetime.release()
})
