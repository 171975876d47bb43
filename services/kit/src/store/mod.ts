export { sql } from 'kysely'
export { createDataDirectory, DataDirectoryUnusable } from './create-directory.ts'
export { DataDirectoryInUse, type DataDirectoryLock, lockDataDirectory } from './data-directory.ts'
export {
  isPostgres,
  type PostgresLimits,
  type PostgresLocation,
  postgresLimits,
  type SqliteLocation,
  type StoreLocation,
} from './location.ts'
export { isLockTimeout } from './lock-timeout.ts'
export { type Migration, MigrationError, migrate } from './migrations.ts'
export {
  migrateStore,
  openStore,
  type PlacedSchema,
  type Store,
  type StoreOptions,
  type StoreSchema,
} from './store.ts'
export { transact } from './transact.ts'
