import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { ApiQuota, ApiUsage } from '../marketplace/adapter.ts'

export type ApiUseTables = {
  /** Calls to the marketplace's API by run: a run that is resumed replaces its count. */
  api_use: { run_id: string; used_on: string; calls: number }
  /** The API's own figures, as last read. */
  api_quota: { platform: string; call_limit: number; remaining: number; resets_at: string | null; read_at: string }
}
type Db = Kysely<ApiUseTables>

export const apiUseMigration = (number: number): Migration => ({
  number,
  name: "the API's quota and use, and sellers' immutable ids",
  up: async (db) => {
    await db.schema
      .createTable('api_use')
      .addColumn('run_id', 'text', (column) => column.primaryKey())
      .addColumn('used_on', 'text', (column) => column.notNull())
      .addColumn('calls', 'integer', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('api_use_by_day').on('api_use').columns(['used_on']).execute()
    await db.schema
      .createTable('api_quota')
      .addColumn('platform', 'text', (column) => column.primaryKey())
      .addColumn('call_limit', 'integer', (column) => column.notNull())
      .addColumn('remaining', 'integer', (column) => column.notNull())
      .addColumn('resets_at', 'text')
      .addColumn('read_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema.alterTable('sellers').addColumn('platform_user_id', 'text').execute()
    await db.schema
      .createIndex('sellers_by_platform_user_id')
      .on('sellers')
      .columns(['platform', 'platform_user_id'])
      .execute()
  },
})

const day = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
/** How long counts are stored, in days. */
const storedDays = 2

/** Stores the calls of a run, and the quota if it was read. Idempotent. */
export const recordUsage = async (
  db: Db,
  platform: string,
  runId: string,
  { calls, quota }: ApiUsage,
  now: Date,
): Promise<void> => {
  const row = { used_on: dayOf(now.getTime()), calls }
  await db
    .insertInto('api_use')
    .values({ run_id: runId, ...row })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
    .execute()
  if (quota === null) return
  const values = {
    call_limit: quota.limit,
    remaining: quota.remaining,
    resets_at: quota.resetsAt,
    read_at: now.toISOString(),
  }
  await db
    .insertInto('api_quota')
    .values({ platform, ...values })
    .onConflict((conflict) => conflict.column('platform').doUpdateSet(values))
    .execute()
  await db
    .deleteFrom('api_use')
    .where('used_on', '<', dayOf(now.getTime() - storedDays * day))
    .execute()
}

/** What is known about the use of the API today. */
export type ApiUse = { readonly callsToday: number; readonly quota: (ApiQuota & { readonly readAt: string }) | null }

export const findUse = async (db: Db, platform: string, now: Date): Promise<ApiUse> => {
  const { calls } = await db
    .selectFrom('api_use')
    .select(({ fn }) => fn.sum<number | null>('calls').as('calls'))
    .where('used_on', '=', dayOf(now.getTime()))
    .executeTakeFirstOrThrow()
  const row = await db.selectFrom('api_quota').selectAll().where('platform', '=', platform).executeTakeFirst()
  return {
    callsToday: Number(calls ?? 0),
    quota:
      row === undefined
        ? null
        : { limit: row.call_limit, remaining: row.remaining, resetsAt: row.resets_at, readAt: row.read_at },
  }
}
