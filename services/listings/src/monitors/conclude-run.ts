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
import { failedOutcome, succeededOutcome } from './outcome.ts'
import { abandonRun, endRun, listingsSeenBy } from './store.ts'

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
    hasRange: row.price_high !== null,
    currency: row.currency,
    buyingFormat: row.buying_format,
    endsAt: row.ends_at,
    compositeScore: score.compositeScore,
    isPartial: score.scoreIsPartial,
    hardFilters: score.hardFilters,
  }
}

/** Whether a monitor was switched off since its run started. It is due at once if it was switched on again. */
const wasSwitchedOff = ({ monitor_enabled, next_check_at, run_started_at }: SavedSearchRow): boolean =>
  monitor_enabled === 0 || (next_check_at ?? '') > (run_started_at ?? '')

/**
 * Ends a run whose search has ended: its alerts, their deliveries and the next time are written in one transaction, which
 * succeeds for one replica only. A search that failed may have found something before, which alerts as well. A run that its user
 * has stopped has no outcome. Returns the number of alerts.
 */
export const concludeRun = async (
  { db, log, now }: Dependencies,
  row: SavedSearchRow,
  recordAlerts: RecordAlerts,
): Promise<number> => {
  const runId = row.run_id ?? ''
  const session = await findSearch(db, runId)
  const failure = session?.failure_json ? (JSON.parse(session.failure_json) as SessionFailure) : undefined
  if (failure?.reason === 'Cancelled' && wasSwitchedOff(row)) {
    await abandonRun(db, row.id, runId)
    return 0
  }
  if (failure !== undefined) log.warn({ savedSearch: row.id, runId, failure }, 'listings: the run of a monitor failed')
  const candidates = (await listingsSeenBy(db, runId)).map(candidateOf)
  const at = now()
  const outcome = failure === undefined ? succeededOutcome(row, at) : failedOutcome(row, failure, at)
  return transact(db, async (transaction: Kysely<ListingsTables>) => {
    if (!(await endRun(transaction, row.id, runId, outcome))) return 0
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
