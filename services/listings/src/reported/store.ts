import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

/** Sellers that users have reported to the marketplace. */
export type ReportedTables = {
  reported_sellers: {
    user_id: string
    platform: string
    platform_seller_id: string
    username: string | null
    reported_by: string
    reported_at: string
  }
}

export const reportedMigration = (number: number): Migration => ({
  number,
  name: 'sellers that users have reported',
  up: async (db) => {
    await db.schema
      .createTable('reported_sellers')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('platform_seller_id', 'text', (column) => column.notNull())
      .addColumn('username', 'text')
      .addColumn('reported_by', 'text', (column) => column.notNull())
      .addColumn('reported_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('reported_sellers_by_user', ['user_id', 'platform', 'platform_seller_id'])
      .execute()
  },
})

type Db = Kysely<ReportedTables>

export type Report = { readonly platformSellerId: string; readonly username: string | null }

/** Maximum reported sellers of one user. */
export const maxReported = 5_000

/** Adds sellers to a user's list; the first report of a seller stays. Returns false, and adds none, beyond the maximum. */
export const addReports = (
  db: Db,
  { userId, platform, now }: { readonly userId: string; readonly platform: string; readonly now: Date },
  reports: readonly Report[],
): Promise<boolean> =>
  transact(db, async (transaction) => {
    const own = transaction
      .selectFrom('reported_sellers')
      .where('user_id', '=', userId)
      .where('platform', '=', platform)
    const { count } = await own.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
    const ids = [...new Set(reports.map(({ platformSellerId }) => platformSellerId))]
    const known = await own.select('platform_seller_id').where('platform_seller_id', 'in', ids).execute()
    if (Number(count) + ids.length - known.length > maxReported) return false
    await transaction
      .insertInto('reported_sellers')
      .values(
        reports.map(({ platformSellerId, username }) => ({
          user_id: userId,
          platform,
          platform_seller_id: platformSellerId,
          username,
          reported_by: 'bulk_action',
          reported_at: now.toISOString(),
        })),
      )
      .onConflict((conflict) => conflict.columns(['user_id', 'platform', 'platform_seller_id']).doNothing())
      .execute()
    return true
  })

/** The sellers that a user has reported, latest first. */
export const reportedSellers = async (db: Db, userId: string, platform: string): Promise<string[]> =>
  (
    await db
      .selectFrom('reported_sellers')
      .select('platform_seller_id')
      .where('user_id', '=', userId)
      .where('platform', '=', platform)
      .orderBy('reported_at', 'desc')
      .orderBy('platform_seller_id')
      .execute()
  ).map(({ platform_seller_id }) => platform_seller_id)
