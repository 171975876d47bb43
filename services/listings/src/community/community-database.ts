import { type Migration, MigrationError, migrateStore, openStore, type Store, sql } from '@trellis/kit/store'
import type { Log } from '@trellis/kit/telemetry'

/** The database that installations share. A signal is inserted once, by its id. */
export type SharedSignalTables = {
  seller_signals: {
    id: string
    platform: string
    platform_seller_id: string
    /** 0 or 1. */
    confirmed_scam: number
    signal_source: string
    /** JSON text of a list of flags. */
    flags: string
    created_at: string
  }
}

const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'signals about sellers',
    up: async (db) => {
      await db.schema
        .createTable('seller_signals')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('platform_seller_id', 'text', (column) => column.notNull())
        .addColumn('confirmed_scam', 'integer', (column) => column.notNull())
        .addColumn('signal_source', 'text', (column) => column.notNull())
        .addColumn('flags', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('seller_signals_by_seller')
        .on('seller_signals')
        .expression(sql`lower(platform_seller_id)`)
        .execute()
    },
  },
]

export const communitySchema = { name: 'community', migrations }

const limits = { connections: 1, connectMilliseconds: 5_000, statementMilliseconds: 15_000, lockMilliseconds: 5_000 }

/**
 * Opens the community database, and creates its schema `community` if it is missing and this user may create it. Throws
 * MigrationError, with what to do, if the schema is missing and may not be created, and `unavailable` if the database cannot be
 * reached.
 */
export const openCommunityDatabase = async (databaseUrl: string, log: Log): Promise<Store<SharedSignalTables>> => {
  const options = { databaseUrl, limits, schemaWaitMilliseconds: 0, ...communitySchema, log }
  try {
    return await openStore<SharedSignalTables>(options)
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    try {
      await migrateStore({ databaseUrl, limits }, { ...communitySchema, log })
    } catch (cause) {
      throw new MigrationError(
        'The community database has no current schema "community", and the user of COMMUNITY_DB_URL could not create it. Let its owner start a Trellis with that database once, then grant USAGE on the schema, SELECT on community.schema_migrations, and SELECT, INSERT and DELETE on community.seller_signals.',
        { cause },
      )
    }
    return await openStore<SharedSignalTables>(options)
  }
}
