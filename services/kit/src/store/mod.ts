export { sql } from 'kysely'
export { type Migration, MigrationFailure, migrate } from './migrations.ts'
export { openStore, type Store, type StoreOptions } from './store.ts'
