import { bundleMigration } from '../bundles/tables.ts'
import { ticketAttemptMigration, ticketMigration } from '../tickets/tables.ts'
import { automaticMigration } from './automatic/tables.ts'
import { incidentMigration, windowMigration } from './tables.ts'

/** The schema of incidents and related data, step by step. */
export const incidentMigrations = [
  incidentMigration,
  bundleMigration,
  ticketMigration,
  automaticMigration,
  windowMigration,
  ticketAttemptMigration,
]
