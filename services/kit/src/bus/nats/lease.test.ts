import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLease } from './lease.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an expired lease aborts its signal with a reason', async () => {
  const lease = createLease(1_000, () => true)
  vi.advanceTimersByTime(999)
  expect(lease.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(lease.signal.aborted).toBe(true)
  await expect(lease.expired).rejects.toThrow('Not acknowledged in time.')
})

test('`working` extends the lease, and renews it on the server at most four times per lease', () => {
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

test('a lease is not extended while the server cannot be reached', () => {
  const lease = createLease(1_000, () => false)
  for (let step = 0; step < 15; step += 1) {
    vi.advanceTimersByTime(100)
    lease.working()
  }
  expect(lease.signal.aborted).toBe(true)
})
