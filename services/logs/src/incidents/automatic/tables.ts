import type { Migration } from '@trellis/kit/store'

export type AutomaticTables = {
  /** Errors of a source up to this time are settled: their incident was resolved or deleted. */
  settled_sources: { source_id: string; settled_until: number }
  /** One row: the time up to which clusters were evaluated, in epoch milliseconds. Earlier versions stored a lease in `owner` and `ends_at`. */
  automatic_incidents: { id: number; evaluated_until: number; owner: string; ends_at: number }
}

export const automaticMigration: Migration = {
  number: 4,
  name: 'how far automatic incidents are',
  up: async (db) => {
    await db.schema
      .createTable('settled_sources')
      .addColumn('source_id', 'text', (column) => column.primaryKey())
      .addColumn('settled_until', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('automatic_incidents')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('evaluated_until', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'integer', (column) => column.notNull())
      .execute()
  },
}
