import type { Migration } from '@trellis/kit/store'

/** The schema of the music service, step by step. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'chains and nodes',
    up: async (db) => {
      await db.schema
        .createTable('chains')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addColumn('sample_rate', 'integer', (column) => column.notNull())
        .addColumn('channels', 'integer', (column) => column.notNull())
        .addColumn('root_node_id', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('chains_of_user').on('chains').columns(['user_id', 'created_at', 'id']).execute()
      await db.schema
        .createTable('nodes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('chain_id', 'text', (column) => column.notNull().references('chains.id').onDelete('cascade'))
        .addColumn('parent_id', 'text')
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('decision', 'text', (column) => column.notNull())
        .addColumn('prompt', 'text', (column) => column.notNull())
        .addColumn('seed', 'bigint')
        .addColumn('frames', 'bigint', (column) => column.notNull())
        .addColumn('context_seconds', 'double precision')
        .addColumn('generator', 'text')
        .addColumn('progress', 'double precision', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('run_id', 'text')
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('distance_percentile', 'double precision')
        .addColumn('loudness_step_lu', 'double precision')
        .addColumn('beat_error_ms', 'double precision')
        .addColumn('bpm', 'double precision')
        .addColumn('musical_key', 'text')
        .addColumn('loudness_lufs', 'double precision')
        .addColumn('silent_tail_seconds', 'double precision', (column) => column.notNull())
        .addColumn('prompt_honored', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('ready_at', 'text')
        .execute()
      await db.schema.createIndex('nodes_of_chain').on('nodes').columns(['chain_id', 'created_at']).execute()
      await db.schema.createIndex('nodes_by_status').on('nodes').columns(['status']).execute()
    },
  },
  {
    number: 2,
    name: 'leftovers',
    up: async (db) => {
      await db.schema
        .createTable('leftovers')
        .addColumn('owner_id', 'text', (column) => column.primaryKey())
        .addColumn('noted_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('leftovers_by_time').on('leftovers').columns(['noted_at']).execute()
    },
  },
  {
    number: 3,
    name: 'leases, when runs started, and what they continue',
    up: async (db) => {
      await db.schema.alterTable('nodes').addColumn('started_at', 'text').execute()
      await db.schema.alterTable('nodes').addColumn('input_key', 'text').execute()
      await db.schema
        .createTable('leases')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
  {
    number: 4,
    name: 'loudness range',
    up: async (db) => {
      await db.schema.alterTable('nodes').addColumn('loudness_range_lu', 'double precision').execute()
    },
  },
  {
    number: 5,
    name: 'stems',
    up: async (db) => {
      await db.schema
        .createTable('stems')
        .addColumn('node_id', 'text', (column) => column.primaryKey().references('nodes.id').onDelete('cascade'))
        .addColumn('chain_id', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('run_id', 'text', (column) => column.notNull())
        .addColumn('progress', 'double precision', (column) => column.notNull())
        .addColumn('method', 'text')
        .addColumn('error', 'text')
        .addColumn('folder', 'text')
        .addColumn('energy_shares', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('ready_at', 'text')
        .execute()
      await db.schema.createIndex('stems_of_chain').on('stems').columns(['chain_id']).execute()
      await db.schema.createIndex('stems_by_status').on('stems').columns(['status']).execute()
    },
  },
]
