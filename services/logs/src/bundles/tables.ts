import type { Migration } from '@trellis/kit/store'

/** Times are epoch milliseconds; booleans are 0 or 1. */
export type BundleTables = { bundles: BundleTable; sent_bundles: SentBundleTable }

/** A received bundle. */
export type BundleTable = {
  id: string
  /** The idempotency key of its sender, or null. */
  sender_key: string | null
  bundle_version: number
  service_version: string | null
  bundled_at: number
  sanitized: number
  label: string
  issue_type: string
  severity: string | null
  entry_count: number
  bytes: number
  received_at: number
  content: string
}

/** A bundle that was exported or is queued. `content` is only present while it is queued. */
export type SentBundleTable = {
  id: string
  incident_id: string
  destination: string
  sanitized: number
  status: string
  sent_at: number | null
  created_at: number
  attempts: number
  next_attempt_at: number | null
  /** No other process tries to send it before this time. */
  claimed_until: number
  last_error: string | null
  content: string | null
}

export const bundleMigration: Migration = {
  number: 2,
  name: 'bundles that came in and went out',
  up: async (db) => {
    await db.schema
      .createTable('bundles')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('sender_key', 'text', (column) => column.unique())
      .addColumn('bundle_version', 'integer', (column) => column.notNull())
      .addColumn('service_version', 'text')
      .addColumn('bundled_at', 'integer', (column) => column.notNull())
      .addColumn('sanitized', 'integer', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('issue_type', 'text', (column) => column.notNull())
      .addColumn('severity', 'text')
      .addColumn('entry_count', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('received_at', 'integer', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('bundles_by_bundling_time').on('bundles').columns(['bundled_at', 'id']).execute()
    await db.schema.createIndex('bundles_by_issue_type').on('bundles').columns(['issue_type', 'bundled_at']).execute()
    await db.schema
      .createTable('sent_bundles')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('incident_id', 'text', (column) => column.notNull())
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('sanitized', 'integer', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('sent_at', 'integer')
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'integer')
      .addColumn('claimed_until', 'integer', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .addColumn('content', 'text')
      .execute()
    await db.schema.createIndex('sent_bundles_by_creation').on('sent_bundles').columns(['created_at', 'id']).execute()
    await db.schema.createIndex('sent_bundles_due').on('sent_bundles').columns(['status', 'next_attempt_at']).execute()
  },
}
