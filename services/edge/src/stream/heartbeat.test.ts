import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Beating, createHeartbeat } from './heartbeat.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => vi.useRealTimers())

const openStream = () => {
  const stream = {
    lastWrite: performance.now(),
    stuckSince: undefined as number | undefined,
    beats: 0,
    isAborted: false,
  }
  const beating: Beating = Object.assign(stream, {
    beat: () => {
      stream.beats += 1
      stream.lastWrite = performance.now()
    },
    abort: () => {
      stream.isAborted = true
    },
  })
  return { stream, beating }
}

test('a stream gets a comment after every 15 s of silence, and none while events are sent', () => {
  const heartbeat = createHeartbeat({ stallMilliseconds: 60_000 })
  const { stream, beating } = openStream()
  heartbeat.add(beating)
  vi.advanceTimersByTime(14_000)
  expect(stream.beats).toBe(0)
  vi.advanceTimersByTime(1_000)
  expect(stream.beats).toBe(1)
  vi.advanceTimersByTime(30_000)
  expect(stream.beats).toBe(3)
  vi.advanceTimersByTime(10_000)
  stream.lastWrite = performance.now()
  vi.advanceTimersByTime(14_000)
  expect(stream.beats).toBe(3)
  heartbeat.remove(beating)
  vi.advanceTimersByTime(60_000)
  expect([stream.beats, heartbeat.size()]).toEqual([3, 0])
  heartbeat.stop()
})

test('a stream whose client reads nothing gets no comments, and is aborted when it has stalled', () => {
  const heartbeat = createHeartbeat({ stallMilliseconds: 60_000 })
  const { stream, beating } = openStream()
  heartbeat.add(beating)
  stream.stuckSince = performance.now()
  vi.advanceTimersByTime(60_000)
  expect([stream.beats, stream.isAborted]).toEqual([0, false])
  vi.advanceTimersByTime(1_000)
  expect([stream.beats, stream.isAborted]).toEqual([0, true])
  heartbeat.stop()
})
