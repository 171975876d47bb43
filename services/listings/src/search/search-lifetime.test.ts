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
  /** Says it, and lets the leash hear it. */
  const say = async (kind: Control['kind']) => {
    await bus.publish<Control>(controlOf('search'), { kind })
    await new Promise(setImmediate)
  }
  return { lifetime, say, ending }
}

test('a search that nobody follows yet goes on', async () => {
  const { lifetime } = create()
  await vi.advanceTimersByTimeAsync(500_000)
  expect(lifetime.signal.aborted).toBe(false)
  lifetime.release()
})

test('30 s after the last follower left it stops', async () => {
  const { lifetime, say } = create()
  for (const kind of ['joined', 'joined', 'left'] as const) await say(kind)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lifetime.signal.aborted).toBe(false)
  await say('left')
  await vi.advanceTimersByTimeAsync(29_000)
  expect(lifetime.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1_001)
  expect(lifetime.signal.aborted).toBe(true)
  expect(lifetime.isTimedOut()).toBe(false)
  lifetime.release()
})

test('a search that needs no followers goes on when the last has left', async () => {
  const { lifetime, say } = create({ needsFollowers: false })
  for (const kind of ['joined', 'left'] as const) await say(kind)
  await vi.advanceTimersByTimeAsync(500_000)
  expect(lifetime.signal.aborted).toBe(false)
  await say('cancel')
  expect(lifetime.signal.aborted).toBe(true)
  lifetime.release()
})

test('who comes back in time keeps it going', async () => {
  const { lifetime, say } = create()
  for (const kind of ['joined', 'left'] as const) await say(kind)
  await vi.advanceTimersByTimeAsync(29_000)
  await say('joined')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lifetime.signal.aborted).toBe(false)
  lifetime.release()
})

test('a word stops it at once, and so does the end of the service', async () => {
  const cancelled = create()
  await cancelled.say('cancel')
  expect(cancelled.lifetime.signal.aborted).toBe(true)
  cancelled.lifetime.release()
  const ended = create()
  ended.ending.abort()
  expect(ended.lifetime.signal.aborted).toBe(true)
  ended.lifetime.release()
})
