import type { Kysely } from 'kysely'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

export type LeaseTables = Pick<SharedCatalogueTables, 'log_leases'>

type Db = Kysely<LeaseTables>
/** `ends_at` is epoch milliseconds. */
type Lease = LeaseTables['log_leases']

/** Takes what is nobody's; gives the row where that held. */
export const takeLease = (db: Db, lease: Lease, now: number) =>
  db
    .insertInto('log_leases')
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner: lease.owner, ends_at: lease.ends_at })
        .where('log_leases.ends_at', '<', now),
    )
    .returning('owner')
    .executeTakeFirst()

/** Takes what is nobody's, or one's own already; gives the row where that held. */
export const keepLease = (db: Db, lease: Lease, now: number) =>
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

/** Gives the row, unless the lease is another's by now. */
export const renewLease = (db: Db, { name, owner, ends_at }: Lease) =>
  db
    .updateTable('log_leases')
    .set({ ends_at })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .returning('owner')
    .executeTakeFirst()

export const findLease = (db: Db, name: string) =>
  db.selectFrom('log_leases').selectAll().where('name', '=', name).executeTakeFirst()

export const endLease = (db: Db, { name, owner }: Pick<Lease, 'name' | 'owner'>) =>
  db.deleteFrom('log_leases').where('name', '=', name).where('owner', '=', owner).execute()

export const clearLeases = (db: Db) => db.deleteFrom('log_leases').execute()
