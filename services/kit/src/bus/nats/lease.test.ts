import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLease } from './lease.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a lease runs out, and the job is taken away with a reason', async () => {
  const lease = createLease(1_000, () => true)
  vi.advanceTimersByTime(999)
  expect(lease.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(lease.signal.aborted).toBe(true)
  await expect(lease.expired).rejects.toThrow('Not acknowledged in time.')
})

test('saying that one works on extends it, and tells the server four times a lease at most', () => {
  const renew = vi.fn(() => true)
  const lease = createLease(1_000, renew)
  for (let step = 0; step < 400; step += 1) {
    vi.advanceTimersByTime(10)
    lease.working()
  }
  expect(lease.signal.aborted).toBe(false)
  expect(renew.mock.calls.length).toBeGreaterThan(12)
  expect(renew.mock.calls.length).toBeLessThanOrEqual(16)
  lease.end()
  vi.advanceTimersByTime(5_000)
  expect(lease.signal.aborted).toBe(false)
})

test('it is not extended while nobody can be told', () => {
  const lease = createLease(1_000, () => false)
  for (let step = 0; step < 15; step += 1) {
    vi.advanceTimersByTime(100)
    lease.working()
  }
  expect(lease.signal.aborted).toBe(true)
})
