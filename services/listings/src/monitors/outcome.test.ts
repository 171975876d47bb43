import { expect, test } from 'vitest'
import { failedOutcome, succeededOutcome } from './outcome.ts'

const now = new Date('2026-03-01T12:00:00Z')
const row = { poll_interval_min: 60, failures: 2, own_failures: 3 }
const minutesUntil = (time: string | null) => (Date.parse(time ?? '') - now.getTime()) / 60_000

const refused = 'The marketplace refused: it answered with status 403.'
const unconfigured = 'No marketplace site is configured: set MARKETPLACE_BASE_URL, or search with adapter=api.'
const general =
  'The search failed because of a problem of this installation, and is repeated automatically. If this message stays, report it to the operator.'
const tooLong =
  'The search took too long and was stopped. It is repeated automatically; a search of fewer pages takes less time.'
const generic = 'Something went wrong here. The id of the run finds it in the log.'

test.each([
  ['the marketplace', { kind: 'upstream_failed', reason: 'MarketplaceRefused', detail: refused }, refused],
  ['a late marketplace', { kind: 'upstream_timeout', reason: 'UpstreamTimeout', detail: refused }, refused],
  ['an older replica, which stored no kind', { detail: refused, retryAfterSeconds: null }, refused],
  ['a filter', { kind: 'invalid', reason: 'Failed', detail: 'Use a number.' }, 'Use a number.'],
])('a failure of %s is shown as it is, and the pause doubles from the interval', (_who, failure, sentence) => {
  const { next_check_at, ...rest } = failedOutcome(row, failure, now)
  expect(rest).toEqual({ last_checked_at: now.toISOString(), last_error: sentence, failures: 3, own_failures: 0 })
  expect(minutesUntil(next_check_at)).toBeGreaterThanOrEqual(8 * 60)
})

test.each([
  ['an error of the service', { kind: 'internal', reason: 'Failed', detail: generic }, general],
  ['a killed worker', { kind: 'internal', reason: 'WorkerLost', detail: 'The worker was ended by SIGKILL.' }, general],
  ['overload', { kind: 'unavailable', reason: 'Failed', detail: 'Try again shortly.', retryAfterSeconds: 1 }, general],
  ['a late service', { kind: 'upstream_timeout', reason: 'Failed', detail: 'The service took too long.' }, general],
  ['its deadline', { kind: 'upstream_timeout', reason: 'DeadlineExceeded', detail: 'Too late.' }, tooLong],
  ['a missing setting', { kind: 'unavailable', reason: 'Failed', detail: unconfigured }, unconfigured],
])('after a failure by %s, the user learns what matters to them and it runs again soon', (_what, failure, sentence) => {
  const { next_check_at, ...rest } = failedOutcome({ ...row, own_failures: 0 }, failure, now)
  expect(rest).toEqual({ last_checked_at: now.toISOString(), last_error: sentence, failures: 2, own_failures: 1 })
  expect(minutesUntil(next_check_at)).toBeGreaterThanOrEqual(1)
  expect(minutesUntil(next_check_at)).toBeLessThanOrEqual(2.2)
})

test('a success ends both counts', () => {
  expect(succeededOutcome(row, now)).toMatchObject({ last_error: null, failures: 0, own_failures: 0 })
})
