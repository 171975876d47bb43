import type { Kysely } from 'kysely'
import type { Migration } from '../store/mod.ts'

/** A lease as a row; `ends_at` is epoch milliseconds. */
export type LeaseTable = { name: string; owner: string; ends_at: number }

/** A store with a table of leases. Its name is the service's own. */
export type LeaseDb = { db: Kysely<Record<string, LeaseTable>>; table: string }

/** The table of leases, for the migrations of a service. */
export const leaseTable = (table: string): Pick<Migration, 'up'> => ({
  up: async (db) => {
    await db.schema
      .createTable(table)
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'bigint', (column) => column.notNull())
      .execute()
  },
})

/** Takes a lease that is free or expired. Returns the row if that succeeded. */
export const takeLease = ({ db, table }: LeaseDb, lease: LeaseTable, now: number) =>
  db
    .insertInto(table)
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner: lease.owner, ends_at: lease.ends_at })
        .where(`${table}.ends_at`, '<', now),
    )
    .returning('owner')
    .executeTakeFirst()

/** Takes a lease that is free, expired or the owner's already. Returns the row if that succeeded. */
export const keepLease = ({ db, table }: LeaseDb, lease: LeaseTable, now: number) =>
  db
    .insertInto(table)
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner: lease.owner, ends_at: lease.ends_at })
        .where((row) => row.or([row(`${table}.owner`, '=', lease.owner), row(`${table}.ends_at`, '<', now)])),
    )
    .returning('owner')
    .executeTakeFirst()

/** Takes a lease from its holder, unless it was renewed or taken since it was read. Returns the row if that succeeded. */
export const replaceLease = ({ db, table }: LeaseDb, lease: LeaseTable, read: LeaseTable) =>
  db
    .updateTable(table)
    .set({ owner: lease.owner, ends_at: lease.ends_at })
    .where('name', '=', read.name)
    .where('owner', '=', read.owner)
    .where('ends_at', '=', read.ends_at)
    .returning('owner')
    .executeTakeFirst()

/** Extends a lease. Returns the row, unless another owner has taken it. */
export const renewLease = ({ db, table }: LeaseDb, { name, owner, ends_at }: LeaseTable) =>
  db
    .updateTable(table)
    .set({ ends_at })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .returning('owner')
    .executeTakeFirst()

export const findLease = ({ db, table }: LeaseDb, name: string) =>
  db.selectFrom(table).selectAll().where('name', '=', name).executeTakeFirst()

export const endLease = ({ db, table }: LeaseDb, { name, owner }: Pick<LeaseTable, 'name' | 'owner'>) =>
  db.deleteFrom(table).where('name', '=', name).where('owner', '=', owner).execute()

export const clearLeases = ({ db, table }: LeaseDb) => db.deleteFrom(table).execute()
