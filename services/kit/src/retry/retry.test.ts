import { describe, expect, test, vi } from 'vitest'
import { backoff, createBackoff, parseRetryAfter, retry } from './mod.ts'

const pauses = { initial: 10, max: 50 }

describe('backoff', () => {
  test('doubles with each failure up to its maximum, of which half is left to chance', () => {
    const range = (failures: number) => [backoff(failures, pauses, () => 0), backoff(failures, pauses, () => 1)]
    expect([1, 2, 3, 4, 2_000].map(range)).toEqual([
      [5, 10],
      [10, 20],
      [20, 40],
      [25, 50],
      [25, 50],
    ])
    expect(backoff(2, { ...pauses, jitter: 0 })).toBe(20)
  })

  test('starts over after a success', () => {
    const failing = createBackoff({ ...pauses, jitter: 0 })
    expect([failing.next(), failing.next(), failing.failures()]).toEqual([10, 20, 2])
    failing.reset()
    expect([failing.failures(), failing.next()]).toEqual([0, 10])
  })
})

describe('retry', () => {
  const quick = { backoff: { initial: 1, max: 4 }, isRetryable: (error: unknown) => error !== 'final' }
  const failing = (times: number, error: unknown = 'later') => {
    const task = vi.fn((_isAgain: boolean) => (task.mock.calls.length > times ? 'done' : Promise.reject(error)))
    return task
  }

  test('repeats the task until it succeeds, and the task knows that it is repeated', async () => {
    const task = failing(3)
    expect(await retry(quick, task)).toBe('done')
    expect(task.mock.calls).toEqual([[false], [true], [true], [true]])
  })

  test('stops after the last attempt, when the time is up, and at an error that is final', async () => {
    const thrice = failing(9)
    await expect(retry({ ...quick, maxAttempts: 3 }, thrice)).rejects.toBe('later')
    expect(thrice).toHaveBeenCalledTimes(3)
    const late = failing(9)
    await expect(retry({ ...quick, withinMilliseconds: 0, onExhausted: () => 'exhausted' }, late)).rejects.toBe(
      'exhausted',
    )
    expect(late).toHaveBeenCalledTimes(1)
    const final = failing(9, 'final')
    await expect(retry({ ...quick, onExhausted: () => 'exhausted' }, final)).rejects.toBe('final')
    expect(final).toHaveBeenCalledTimes(1)
  })

  test('waits as long as is requested, but not longer than its maximum', async () => {
    const waits: number[] = []
    const measured = (requested: number) =>
      retry({ backoff: { initial: 0.001, max: 60 }, isRetryable: () => true, requestedPause: () => requested }, () => {
        waits.push(performance.now())
        return waits.length % 2 === 1 ? Promise.reject(new Error('later')) : waits.length
      })
    await measured(40)
    await measured(3_600_000)
    const [first = 0, second = 0, third = 0, fourth = 0] = waits
    // Timers of Node may fire a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(39)
    expect(fourth - third).toBeGreaterThanOrEqual(59)
  })

  test('an aborted signal ends it with the reason, also in the middle of a pause', async () => {
    const reason = new Error('The client has left.')
    const controller = new AbortController()
    const waiting = retry(
      {
        backoff: { initial: 3_600_000, max: 3_600_000 },
        isRetryable: () => true,
        onRetry: () => controller.abort(reason),
      },
      failing(9),
      controller.signal,
    )
    await expect(waiting).rejects.toBe(reason)
    await expect(retry(quick, failing(0), controller.signal)).rejects.toBe(reason)
  })
})

test.each([
  ['30', 30],
  [' 0 ', 0],
  ['1.5', 1.5],
  ['Mon, 15 Jun 2026 12:01:00 GMT', 60],
  ['Monday, 15-Jun-26 12:01:00 GMT', 60],
  ['Mon Jun 15 12:01:00 2026', 60],
  ['Mon, 15 Jun 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['in 5 minutes', undefined],
  ['9'.repeat(400), undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After %j requests %j seconds', (header, seconds) => {
  expect(parseRetryAfter(header, Date.UTC(2026, 5, 15, 12))).toBe(seconds)
})
