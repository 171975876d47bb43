import { randomUUID } from 'node:crypto'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { Db, LeaseRow, MusicTables } from '../store/tables.ts'

/** Duration of a lease unless it is renewed, in milliseconds. */
const leaseMilliseconds = 60_000
/** Number of latest runs from which the expected duration is computed. */
const latestRuns = 20

/** Run times of the latest generations in seconds, oldest first. */
export const latestRunSeconds = async (db: Db): Promise<number[]> => {
  const rows = await db
    .selectFrom('nodes')
    .select(['started_at', 'ready_at'])
    .where('status', '=', 'ready')
    .where('started_at', 'is not', null)
    .orderBy('ready_at', 'desc')
    .limit(latestRuns)
    .execute()
  return rows
    .map(({ started_at, ready_at }) => (Date.parse(ready_at ?? '') - Date.parse(started_at ?? '')) / 1_000)
    .filter((seconds) => seconds >= 0)
    .reverse()
}

/** Leases one of `slots`; undefined if all are leased. Serializable, so concurrent replicas never lease one too many. */
export const takeLease = (
  db: Kysely<MusicTables>,
  { userId, slots, now }: { userId: string; slots: number; now: Date },
): Promise<LeaseRow | undefined> =>
  transact(db, async (transaction) => {
    await transaction.deleteFrom('leases').where('expires_at', '<=', now.getTime()).execute()
    const { taken } = await transaction
      .selectFrom('leases')
      .select(({ fn }) => fn.countAll().as('taken'))
      .executeTakeFirstOrThrow()
    if (Number(taken) >= slots) return undefined
    const lease = { id: randomUUID(), user_id: userId, expires_at: now.getTime() + leaseMilliseconds }
    await transaction.insertInto('leases').values(lease).execute()
    return lease
  })

type LeaseOf = { id: string; userId: string; now: Date }

/** Renews a user's lease from now; undefined if it has expired. */
export const renewLease = (db: Db, { id, userId, now }: LeaseOf): Promise<LeaseRow | undefined> =>
  db
    .updateTable('leases')
    .set({ expires_at: now.getTime() + leaseMilliseconds })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now.getTime())
    .returningAll()
    .executeTakeFirst()

/** Ends a user's lease; false if it has expired. */
export const endLease = async (db: Db, { id, userId, now }: LeaseOf): Promise<boolean> => {
  const query = db.deleteFrom('leases').where('id', '=', id).where('user_id', '=', userId)
  const ended = await query.where('expires_at', '>', now.getTime()).returning('id').executeTakeFirst()
  return ended !== undefined
}
