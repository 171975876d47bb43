import type { IncidentDb } from '../incidents/all-tables.ts'
import type { ListPosition } from '../incidents/paging.ts'
import type { BundleTable, SentBundleTable } from './tables.ts'

type Db = IncidentDb
type Page = { limit: number; after: ListPosition | undefined }

/** Returns the stored bundle: an existing one with the same key, if there is one. */
export const insertBundle = async (db: Db, row: BundleTable): Promise<Pick<BundleTable, 'id' | 'content'>> => {
  const inserted = await db
    .insertInto('bundles')
    .values(row)
    .onConflict((conflict) => conflict.column('sender_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return row
  return await db
    .selectFrom('bundles')
    .select(['id', 'content'])
    .where('sender_key', '=', row.sender_key)
    .executeTakeFirstOrThrow()
}

export const countBundles = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('bundles')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

export const findBundle = (db: Db, id: string) =>
  db.selectFrom('bundles').selectAll().where('id', '=', id).executeTakeFirst()

export const deleteBundle = (db: Db, id: string) =>
  db.deleteFrom('bundles').where('id', '=', id).returning('id').executeTakeFirst()

export type BundleFilters = { issueType?: string; since?: number; until?: number }

const summary = [
  'id',
  'bundle_version',
  'service_version',
  'bundled_at',
  'sanitized',
  'label',
  'issue_type',
  'severity',
  'entry_count',
  'bytes',
  'received_at',
] as const
export type BundleSummary = Pick<BundleTable, (typeof summary)[number]>

/** By bundling time, newest first. */
export const listBundles = (db: Db, { issueType, since, until }: BundleFilters, { limit, after }: Page) => {
  let query = db.selectFrom('bundles').select(summary)
  if (issueType !== undefined) query = query.where('issue_type', '=', issueType)
  if (since !== undefined) query = query.where('bundled_at', '>=', since)
  if (until !== undefined) query = query.where('bundled_at', '<', until)
  if (after) {
    query = query.where((eb) =>
      eb.or([eb('bundled_at', '<', after.time), eb.and([eb('bundled_at', '=', after.time), eb('id', '<', after.id)])]),
    )
  }
  return query.orderBy('bundled_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export const insertSentBundle = (db: Db, row: SentBundleTable) => db.insertInto('sent_bundles').values(row).execute()

/** Newest first. */
export const listSentBundles = (db: Db, incidentId: string | undefined, { limit, after }: Page) => {
  let query = db.selectFrom('sent_bundles').selectAll()
  if (incidentId !== undefined) query = query.where('incident_id', '=', incidentId)
  if (after) {
    query = query.where((eb) =>
      eb.or([eb('created_at', '<', after.time), eb.and([eb('created_at', '=', after.time), eb('id', '<', after.id)])]),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** Queued bundles that are due and not claimed, oldest first. */
export const dueBundles = (db: Db, now: number, limit: number) =>
  db
    .selectFrom('sent_bundles')
    .select('id')
    .where('status', '=', 'queued')
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<', now)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()

/** Claims a queued bundle until a time; undefined if it is claimed by another process or done. */
export const claimBundle = (db: Db, id: string, now: number, until: number) =>
  db
    .updateTable('sent_bundles')
    .set((row) => ({ claimed_until: until, attempts: row('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('claimed_until', '<', now)
    .returningAll()
    .executeTakeFirst()

/** Stores the result of an attempt, unless another process has taken it over meanwhile. */
export const concludeAttempt = (
  db: Db,
  { id, attempts }: Pick<SentBundleTable, 'id' | 'attempts'>,
  change: Partial<SentBundleTable>,
) =>
  db
    .updateTable('sent_bundles')
    .set({ ...change, claimed_until: 0 })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst()
