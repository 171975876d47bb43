import type { Kysely } from 'kysely'
import type { AlertRow, AlertTables } from './tables.ts'

type Db = Kysely<AlertTables>

/** Maximum alerts of one user that are stored. */
export const maxAlerts = 1_000
/** Maximum listings of one user that are remembered as alerted. */
export const maxAlertedListings = 20_000
/** How long alerts, and listings that are no longer found, are retained, in days. */
export const retainedDays = 90

const day = 86_400_000

/** Alerts that are listed by default: neither dismissed nor snoozed. */
const unread = (db: Db, userId: string, now: Date) =>
  db
    .selectFrom('alerts')
    .where('user_id', '=', userId)
    .where('dismissed_at', 'is', null)
    .where((row) => row.or([row('snoozed_until', 'is', null), row('snoozed_until', '<=', now.toISOString())]))

export const countUnread = async (db: Db, userId: string, now: Date): Promise<number> => {
  const { count } = await unread(db, userId, now)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export type AlertPage = {
  readonly includeDismissed: boolean
  readonly before: number | undefined
  readonly limit: number
}

/** A user's alerts, newest first. */
export const listAlerts = (
  db: Db,
  userId: string,
  { includeDismissed, before, limit }: AlertPage,
  now: Date,
): Promise<AlertRow[]> => {
  const all = includeDismissed ? db.selectFrom('alerts').where('user_id', '=', userId) : unread(db, userId, now)
  const page = before === undefined ? all : all.where('id', '<', before)
  return page.selectAll().orderBy('id', 'desc').limit(limit).execute()
}

/** Dismisses an alert; false if the user has none with this id. */
export const dismissAlert = async (db: Db, userId: string, id: number, now: Date): Promise<boolean> => {
  const found = await db
    .updateTable('alerts')
    .set((row) => ({ dismissed_at: row.fn.coalesce('dismissed_at', row.val(now.toISOString())) }))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return found !== undefined
}

/** Dismisses all alerts that are listed by default, and returns their number. */
export const dismissUnread = async (db: Db, userId: string, now: Date): Promise<number> => {
  const dismissed = await db
    .updateTable('alerts')
    .set({ dismissed_at: now.toISOString() })
    .where('id', 'in', unread(db, userId, now).select('id'))
    .returning('id')
    .execute()
  return dismissed.length
}

/** Hides an alert until a time; undefined if the user has none with this id. */
export const snoozeAlert = (db: Db, userId: string, id: number, until: Date): Promise<AlertRow | undefined> =>
  db
    .updateTable('alerts')
    .set({ snoozed_until: until.toISOString(), dismissed_at: null })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes a user's oldest alerts beyond the maximum. */
export const trimAlerts = async (db: Db, userId: string): Promise<void> => {
  const [oldest] = await db
    .selectFrom('alerts')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .offset(maxAlerts - 1)
    .limit(1)
    .execute()
  if (oldest !== undefined)
    await db.deleteFrom('alerts').where('user_id', '=', userId).where('id', '<', oldest.id).execute()
}

/** Deletes the records of a user's alerted listings beyond the maximum, least recently found first. */
export const trimAlertedListings = async (db: Db, userId: string): Promise<void> => {
  const own = db.selectFrom('alerted_listings').where('user_id', '=', userId)
  const surplus = await own
    .select('platform_listing_id')
    .orderBy('seen_on', 'desc')
    .orderBy('platform_listing_id')
    .offset(maxAlertedListings)
    .limit(500)
    .execute()
  if (surplus.length === 0) return
  const ids = surplus.map(({ platform_listing_id }) => platform_listing_id)
  await db
    .deleteFrom('alerted_listings')
    .where('user_id', '=', userId)
    .where('platform_listing_id', 'in', ids)
    .execute()
}

/** Deletes what is older than the retention, of all users. */
export const sweepAlerts = async (db: Db, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - retainedDays * day).toISOString()
  await db.deleteFrom('alerts').where('created_at', '<', before).execute()
  await db.deleteFrom('alerted_listings').where('seen_on', '<', before.slice(0, 10)).execute()
}
