export { sql } from 'kysely'
export { DataDirectoryInUse, type DataDirectoryLock, lockDataDirectory } from './data-directory.ts'
export { type Migration, MigrationFailure, migrate } from './migrations.ts'
export { openStore, type Store, type StoreOptions } from './store.ts'
