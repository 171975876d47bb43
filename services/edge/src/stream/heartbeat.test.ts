import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const openStream = () => {
  const stream = {
    lastWrite: performance.now(),
    stuckSince: undefined as number | undefined,
    beats: 0,
    isAborted: false,
    beat: () => {
      stream.beats += 1
      stream.lastWrite = performance.now()
    },
    abort: () => {
      stream.isAborted = true
    },
  }
  return stream
}

test('a silent stream gets a comment every 15 s, and one that is written to gets none', () => {
  const heartbeat = createHeartbeat({ stallMilliseconds: 60_000 })
  const [silent, busy] = [openStream(), openStream()]
  heartbeat.add(silent)
  heartbeat.add(busy)
  for (let second = 1; second <= 60; second += 1) {
    if (second % 10 === 0) busy.lastWrite = performance.now()
    vi.advanceTimersByTime(1_000)
  }
  expect([silent.beats, busy.beats]).toEqual([4, 0])
  heartbeat.stop()
})

test('a stream whose client reads nothing is aborted, and gets no comments meanwhile', () => {
  const heartbeat = createHeartbeat({ stallMilliseconds: 30_000 })
  const stuck = openStream()
  stuck.stuckSince = performance.now()
  heartbeat.add(stuck)
  vi.advanceTimersByTime(30_000)
  expect([stuck.isAborted, stuck.beats]).toEqual([false, 0])
  vi.advanceTimersByTime(2_000)
  expect([stuck.isAborted, stuck.beats]).toEqual([true, 0])
  heartbeat.stop()
})

test('a stream that has ended gets nothing more', () => {
  const heartbeat = createHeartbeat({ stallMilliseconds: 30_000 })
  const stream = openStream()
  heartbeat.add(stream)
  expect(heartbeat.size()).toBe(1)
  heartbeat.remove(stream)
  vi.advanceTimersByTime(60_000)
  expect([stream.beats, heartbeat.size()]).toEqual([0, 0])
  heartbeat.stop()
})
