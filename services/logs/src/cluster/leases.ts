import type { Kysely } from 'kysely'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

export type LeaseTables = Pick<SharedCatalogueTables, 'log_leases'>

/** Tasks that one replica at a time does. They spare work and keep nothing right: clocks may differ. */
export type Leases = {
  /** Takes or keeps a task for so many milliseconds; false while another has it. */
  take: (name: string, owner: string, milliseconds: number) => Promise<boolean>
  /** Lets go of a task before its time. */
  release: (name: string, owner: string) => Promise<void>
}

const takeLease = (db: Kysely<LeaseTables>, lease: { name: string; owner: string; ends_at: number }, now: number) =>
  db
    .insertInto('log_leases')
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner: lease.owner, ends_at: lease.ends_at })
        .where((row) => row.or([row('log_leases.owner', '=', lease.owner), row('log_leases.ends_at', '<', now)])),
    )
    .returning('owner')
    .executeTakeFirst()

const endLease = (db: Kysely<LeaseTables>, name: string, owner: string) =>
  db.deleteFrom('log_leases').where('name', '=', name).where('owner', '=', owner).execute()

/** Leases as rows that replicas share. */
export const createLeases = ({ db, now }: { db: Kysely<LeaseTables>; now: () => number }): Leases => ({
  take: async (name, owner, milliseconds) => {
    const moment = now()
    return (await takeLease(db, { name, owner, ends_at: moment + milliseconds }, moment))?.owner === owner
  },
  release: async (name, owner) => {
    await endLease(db, name, owner)
  },
})
