import type { Migration } from '@trellis/kit/store'
import { migrations as coreMigrations } from './store/migrations.ts'
import type { MusicTables as CoreTables } from './store/tables.ts'

/** The steps of the schema, in order: those of chains and their nodes, then a line for each feature with tables. */
export const migrations: readonly Migration[] = [...coreMigrations]

export const musicSchema = { name: 'music', migrations }

/** All rows of the service; each feature declares those that it needs. */
export type MusicTables = CoreTables
