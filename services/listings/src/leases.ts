import { createLeases, type Leases, type LeaseTable, leaseTable } from '@trellis/kit/leases'
import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

const table = 'listings_leases'

/** Leases of the service's background work, which one replica at a time does. */
export type LeaseTables = { [table]: LeaseTable }

export const leasesMigration = (number: number): Migration => ({
  number,
  name: 'leases of background work',
  ...leaseTable(table),
})

/** The leases of a store that has their table. */
export const openLeases = (db: Kysely<LeaseTables>, now: () => Date): Leases =>
  // The kit's queries name the table at run time.
  createLeases({ db: db as unknown as Kysely<Record<string, LeaseTable>>, table, now: () => now().getTime() })
