import type { SavedSearchRow } from '../saved-searches/store.ts'
import type { SessionFailure } from '../session/store.ts'
import { checkAfterFailure, type FailurePlace, nextCheck } from './schedule.ts'

/** The outcome of a run, for the row of its monitor. */
export type Outcome = Pick<
  SavedSearchRow,
  'last_checked_at' | 'last_error' | 'failures' | 'own_failures' | 'next_check_at'
>

type MonitorRow = Pick<SavedSearchRow, 'poll_interval_min' | 'failures' | 'own_failures'>

/** Kinds of errors within this installation. The others are the marketplace's, which may also be late, or of the saved search. */
const installationKinds: readonly string[] = [
  'internal',
  'misconfigured',
  'unavailable',
  'upstream_timeout',
  'rate_limited',
  'cancelled',
  'conflict',
]

const placeOf = ({ kind, reason }: SessionFailure): FailurePlace =>
  kind !== undefined && installationKinds.includes(kind) && reason !== 'UpstreamTimeout' ? 'installation' : 'outside'

/** Reasons of an `unavailable` that lasts until the configuration changes: its detail names what is missing. */
const configurationReasons: readonly string[] = ['Failed', 'Unconfigured', 'BrowserUnavailable']

/** Why a run failed, as a sentence for its user, who knows of no request, worker or server. */
const sentenceOf = (failure: SessionFailure): string => {
  const { kind, reason = 'Failed', detail, retryAfterSeconds } = failure
  if (reason === 'DeadlineExceeded')
    return 'The search took too long and was stopped. It is repeated automatically; a search of fewer pages takes less time.'
  const isMisconfigured =
    kind === 'unavailable' && typeof retryAfterSeconds !== 'number' && configurationReasons.includes(reason)
  if (placeOf(failure) === 'outside' || isMisconfigured) return detail
  return 'The search failed because of a problem of this installation, and is repeated automatically. If this message stays, report it to the operator.'
}

/** The outcome of a run that failed. */
export const failedOutcome = (row: MonitorRow, failure: SessionFailure, now: Date): Outcome => {
  const place = placeOf(failure)
  const counts =
    place === 'installation'
      ? { failures: row.failures, own_failures: row.own_failures + 1 }
      : { failures: row.failures + 1, own_failures: 0 }
  return {
    ...counts,
    last_checked_at: now.toISOString(),
    last_error: sentenceOf(failure),
    next_check_at: checkAfterFailure(
      { now, intervalMinutes: row.poll_interval_min },
      {
        place,
        count: place === 'installation' ? counts.own_failures : counts.failures,
        retryAfterSeconds: failure.retryAfterSeconds ?? null,
      },
    ),
  }
}

/** The outcome of a run that succeeded. */
export const succeededOutcome = (row: MonitorRow, now: Date): Outcome => ({
  last_checked_at: now.toISOString(),
  last_error: null,
  failures: 0,
  own_failures: 0,
  next_check_at: nextCheck({ now, intervalMinutes: row.poll_interval_min }),
})
