import type { Migration } from '@trellis/kit/store'

export type SharedCatalogueTables = {
  log_shared_state: { id: number; version: number; forgotten: number }
  log_shared_segments: SharedSegmentTable
  log_receipts: { message: string; entries: number; duplicates: number; written_at: number }
  log_leases: { name: string; owner: string; ends_at: number }
}

/** `replaced_version` and `replaced_at` (epoch milliseconds) are null while the segment is active. */
export type SharedSegmentTable = {
  key: string
  bytes: number
  checksum: number
  documents: number
  text_bytes: number
  words: number
  first_time: number
  last_time: number
  version: number
  content_version: number
  replaced_version: number | null
  replaced_at: number | null
}

export const sharedCatalogueMigration: Migration = {
  number: 3,
  name: 'catalogue of log segments that replicas share',
  up: async (db) => {
    await db.schema
      .createTable('log_shared_state')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('forgotten', 'bigint', (column) => column.notNull())
      .execute()
    await db.insertInto('log_shared_state').values({ id: 1, version: 0, forgotten: 0 }).execute()
    await db.schema
      .createTable('log_shared_segments')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('checksum', 'bigint', (column) => column.notNull())
      .addColumn('documents', 'integer', (column) => column.notNull())
      .addColumn('text_bytes', 'bigint', (column) => column.notNull())
      .addColumn('words', 'bigint', (column) => column.notNull())
      .addColumn('first_time', 'double precision', (column) => column.notNull())
      .addColumn('last_time', 'double precision', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('content_version', 'bigint', (column) => column.notNull())
      .addColumn('replaced_version', 'bigint')
      .addColumn('replaced_at', 'bigint')
      .execute()
    await db.schema.createIndex('log_shared_segments_by_version').on('log_shared_segments').column('version').execute()
    await db.schema
      .createIndex('log_shared_segments_by_replacement')
      .on('log_shared_segments')
      .column('replaced_version')
      .execute()
    await db.schema
      .createTable('log_receipts')
      .addColumn('message', 'text', (column) => column.primaryKey())
      .addColumn('entries', 'integer', (column) => column.notNull())
      .addColumn('duplicates', 'integer', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('log_receipts_by_time').on('log_receipts').column('written_at').execute()
    await db.schema
      .createTable('log_leases')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
