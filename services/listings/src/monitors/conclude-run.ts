import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { Candidate } from '../alerts/decide.ts'
import type { FoundByMonitor } from '../alerts/record.ts'
import type { AlertTables } from '../alerts/tables.ts'
import type { Dependencies } from '../dependencies.ts'
import type { SavedSearchRow } from '../saved-searches/store.ts'
import type { ListingsTables } from '../schemas.ts'
import type { TrustScore } from '../scoring/score.ts'
import { findSearch, type SessionFailure } from '../session/store.ts'
import { checkAfterFailure, nextCheck } from './schedule.ts'
import { endRun, listingsSeenBy } from './store.ts'

/** What monitors need from alerts: to record what a run found, in the transaction that ends it. */
export type RecordAlerts = (transaction: Kysely<AlertTables>, found: FoundByMonitor) => Promise<number>

const candidateOf = (row: Awaited<ReturnType<typeof listingsSeenBy>>[number]): Candidate => {
  const score = JSON.parse(row.score_json) as TrustScore
  return {
    platform: row.platform,
    platformListingId: row.platform_listing_id,
    title: row.title,
    url: row.url,
    photoUrl: (JSON.parse(row.photo_urls_json) as string[])[0] ?? null,
    sellerPlatformId: row.seller_platform_id,
    price: row.price,
    currency: row.currency,
    buyingFormat: row.buying_format,
    endsAt: row.ends_at,
    compositeScore: score.compositeScore,
    isPartial: score.scoreIsPartial,
    hardFilters: score.hardFilters,
  }
}

/** The outcome of a run, for its row. */
const outcomeOf = (row: SavedSearchRow, failure: SessionFailure | undefined, now: Date) => {
  const schedule = { now, intervalMinutes: row.poll_interval_min }
  const failures = failure === undefined ? 0 : row.failures + 1
  return {
    last_checked_at: now.toISOString(),
    last_error: failure?.detail ?? null,
    failures,
    next_check_at:
      failure === undefined
        ? nextCheck(schedule)
        : checkAfterFailure(schedule, { failures, retryAfterSeconds: failure.retryAfterSeconds }),
  }
}

/**
 * Ends a run whose search has ended: its alerts, their deliveries and the next time are written in one transaction, which
 * succeeds for one replica only. A search that failed may have found something before, which alerts as well. Returns the number of alerts.
 */
export const concludeRun = async (
  { db, now }: Dependencies,
  row: SavedSearchRow,
  recordAlerts: RecordAlerts,
): Promise<number> => {
  const runId = row.run_id ?? ''
  const session = await findSearch(db, runId)
  const failure = session?.failure_json ? (JSON.parse(session.failure_json) as SessionFailure) : undefined
  const candidates = (await listingsSeenBy(db, runId)).map(candidateOf)
  const at = now()
  return transact(db, async (transaction: Kysely<ListingsTables>) => {
    if (!(await endRun(transaction, row.id, runId, outcomeOf(row, failure, at)))) return 0
    const current = await transaction
      .selectFrom('saved_searches')
      .selectAll()
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow()
    if (current.monitor_enabled === 0) return 0
    return recordAlerts(transaction, {
      userId: current.user_id,
      savedSearch: { id: current.id, name: current.name },
      minTrustScore: current.min_trust_score,
      candidates,
      now: at,
    })
  })
}
