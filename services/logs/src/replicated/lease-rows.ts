import type { LeaseTable } from '@trellis/kit/leases'
import type { Kysely } from 'kysely'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

export type LeaseTables = Pick<SharedCatalogueTables, 'log_leases'>

/** Where the log service stores its leases. */
export const leaseRows = (db: Kysely<LeaseTables>) => ({
  // Kysely has no narrower type for a table whose name is a parameter.
  db: db as unknown as Kysely<Record<string, LeaseTable>>,
  table: 'log_leases',
})
