import type { Kysely } from 'kysely'
import type { BundleTables } from '../bundles/tables.ts'
import type { TicketTables } from '../tickets/tables.ts'
import type { AutomaticTables } from './automatic/tables.ts'
import type { IncidentTables } from './tables.ts'

/** All tables of the incident store. */
export type AllIncidentTables = IncidentTables & BundleTables & TicketTables & AutomaticTables

export type IncidentDb = Kysely<AllIncidentTables>
