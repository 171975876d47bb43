import { serviceError } from '@trellis/kit/errors'
import type { Tier } from '@trellis/kit/rpc'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { earlierOf } from '../account-opening.ts'
import type { SavedSearchRow, SavedSearchTables } from './store.ts'

/** Maximum monitors of one user that are switched on; other tiers are limited by their saved searches. */
const monitorLimits: Partial<Record<Tier, number>> = { paid: 5, premium: 25 }

export const monitorLimitOf = (tier: Tier): number => monitorLimits[tier] ?? Number.POSITIVE_INFINITY

export const intervalLimits = { min: 15, max: 1440 } as const
export const scoreLimits = { min: 0, max: 100 } as const

const clamp = (value: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.min(Math.max(value, min), max)

/** Changes of a monitor; what is undefined keeps its value. */
export type MonitorChange = {
  readonly isEnabled: boolean | undefined
  readonly intervalMinutes: number | undefined
  readonly minTrustScore: number | undefined
}

type Change = {
  readonly userId: string
  readonly tier: Tier
  readonly id: number
  readonly change: MonitorChange
  readonly now: Date
}

/** When a monitor is due after a change: at once if it is switched on, and not later than a shorter interval allows. */
const dueAfter = (row: SavedSearchRow, isEnabled: boolean, intervalMinutes: number, now: Date): string | null => {
  if (!isEnabled) return null
  if (row.monitor_enabled === 0 || row.next_check_at === null) return now.toISOString()
  const latest = new Date(now.getTime() + intervalMinutes * 60_000).toISOString()
  return earlierOf(row.next_check_at, latest)
}

/**
 * Changes the monitor of a saved search, and returns its row as it was and as it is; undefined if the user has none with this
 * id. Throws `forbidden` at the tier's limit, which concurrent calls cannot exceed.
 */
export const changeMonitor = (
  db: Kysely<SavedSearchTables>,
  { userId, tier, id, change, now }: Change,
): Promise<{ readonly before: SavedSearchRow; readonly after: SavedSearchRow } | undefined> =>
  transact(db, async (transaction) => {
    const own = transaction.selectFrom('saved_searches').where('user_id', '=', userId)
    const before = await own.selectAll().where('id', '=', id).executeTakeFirst()
    if (before === undefined) return undefined
    const isEnabled = change.isEnabled ?? before.monitor_enabled === 1
    if (isEnabled && before.monitor_enabled === 0) {
      const { count } = await own
        .select(({ fn }) => fn.countAll().as('count'))
        .where('monitor_enabled', '=', 1)
        .executeTakeFirstOrThrow()
      const limit = monitorLimitOf(tier)
      if (Number(count) >= limit)
        throw serviceError('forbidden', `Your tier allows ${limit} monitors: switch another one off first.`)
    }
    const intervalMinutes = clamp(change.intervalMinutes ?? before.poll_interval_min, intervalLimits)
    const after = await transaction
      .updateTable('saved_searches')
      .set({
        tier,
        monitor_enabled: isEnabled ? 1 : 0,
        poll_interval_min: intervalMinutes,
        min_trust_score: clamp(change.minTrustScore ?? before.min_trust_score, scoreLimits),
        next_check_at: dueAfter(before, isEnabled, intervalMinutes, now),
        ...(isEnabled && before.monitor_enabled === 1 ? {} : { failures: 0, own_failures: 0, last_error: null }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { before, after }
  })
