import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

const limiter = (perMinute: number, maxCallers?: number) => {
  const clock = { now: 1_000 }
  const limits = createRateLimiter({ perMinute, now: () => clock.now, ...(maxCallers && { maxCallers }) })
  const accepted = (caller: string, attempts: number) =>
    Array.from({ length: attempts }, () => limits.take(caller)).filter((refusal) => refusal === undefined).length
  return { clock, limits, accepted }
}

test('a caller may burst a minute of requests, then continue at the sustained rate', () => {
  const { clock, limits, accepted } = limiter(60)
  expect(accepted('a', 400)).toBe(60)
  expect(limits.take('a')).toEqual({ retryAfterSeconds: 1 })
  clock.now += 1_000
  expect(accepted('a', 5)).toBe(1)
  clock.now += 3_600_000
  expect(accepted('a', 400)).toBe(60)
})

test('callers have separate limits', () => {
  const { accepted } = limiter(10)
  expect(accepted('a', 20)).toBe(10)
  expect(accepted('b', 20)).toBe(10)
})

test('rejected requests do not extend the wait', () => {
  const { clock, limits, accepted } = limiter(60)
  accepted('a', 1_000)
  clock.now += 1_000
  expect(limits.check('a')).toBeUndefined()
})

test('memory is bounded: the caller that was added first is evicted', () => {
  const { limits, accepted } = limiter(1, 2)
  for (const caller of ['a', 'b', 'c']) expect(accepted(caller, 2)).toBe(1)
  expect(limits.size()).toBe(2)
  expect([limits.check('b'), limits.check('a')]).toEqual([{ retryAfterSeconds: 60 }, undefined])
})

test('0 disables the limit', () => {
  const { limits, accepted } = limiter(0)
  expect(accepted('a', 1_000)).toBe(1_000)
  expect(limits.size()).toBe(0)
})
