import type { Migration } from '@trellis/kit/store'
import { type AccountDeletionTables, accountDeletionMigration } from './account-deletion/store.ts'
import { type AlertTables, alertsMigration } from './alerts/tables.ts'
import { type ApiUseTables, apiUseMigration } from './api-use/store.ts'
import { type BlocklistTables, blocklistMigration } from './blocklist/store.ts'
import { type CategoryTables, categoriesMigration } from './categories/store.ts'
import { type CommunityTables, communityMigration } from './community/store.ts'
import { type CompTables, compsMigration } from './comps/store.ts'
import { type CorrectionTables, correctionMigration } from './corrections/store.ts'
import { type FeedbackTables, feedbackMigration } from './feedback/store.ts'
import { type LeaseTables, leasesMigration } from './leases.ts'
import { type PageFieldTables, pageFieldsMigration } from './page-drift/store.ts'
import { type TaskTables, tasksMigration } from './photo-analysis/tasks.ts'
import { photoHashesMigration } from './photo-hashes/store.ts'
import { type PreferenceTables, preferencesMigration } from './preferences/store.ts'
import { type ReportedTables, reportedMigration } from './reported/store.ts'
import {
  dueMonitorsMigration,
  ownFailuresMigration,
  type SavedSearchTables,
  savedSearchesMigration,
} from './saved-searches/store.ts'
import {
  migrations as coreMigrations,
  countedSearchesMigration,
  lastSeenMigration,
  sellerLookupsMigration,
} from './store/migrations.ts'
import type { Tables } from './store/tables.ts'

/** The steps of the schema, in order: those of searches and their results, then a line for each feature with tables. */
export const migrations: readonly Migration[] = [
  ...coreMigrations,
  reportedMigration(5),
  preferencesMigration(6),
  blocklistMigration(7),
  correctionMigration(8),
  feedbackMigration(9),
  communityMigration(10),
  accountDeletionMigration(11),
  compsMigration(12),
  apiUseMigration(13),
  pageFieldsMigration(14),
  savedSearchesMigration(15),
  alertsMigration(16),
  leasesMigration(17),
  categoriesMigration(18),
  photoHashesMigration(19),
  tasksMigration(20),
  lastSeenMigration(21),
  countedSearchesMigration(22),
  dueMonitorsMigration(23),
  ownFailuresMigration(24),
  sellerLookupsMigration(25),
]

export const listingsSchema = { name: 'listings', migrations }

/** All rows of the service; each feature declares those that it needs. */
export type ListingsTables = Tables &
  ReportedTables &
  PreferenceTables &
  BlocklistTables &
  CorrectionTables &
  FeedbackTables &
  CommunityTables &
  AccountDeletionTables &
  CompTables &
  ApiUseTables &
  PageFieldTables &
  SavedSearchTables &
  AlertTables &
  LeaseTables &
  CategoryTables &
  TaskTables
