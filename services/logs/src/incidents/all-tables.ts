import type { Kysely } from 'kysely'
import type { BundleTables } from '../bundles/tables.ts'
import type { TicketTables } from '../tickets/tables.ts'
import type { IncidentTables } from './tables.ts'

/** All rows of the store of incidents. */
export type AllIncidentTables = IncidentTables & BundleTables & TicketTables

export type IncidentDb = Kysely<AllIncidentTables>
