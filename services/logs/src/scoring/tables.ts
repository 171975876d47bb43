import type { Migration } from '@trellis/kit/store'

/** Times are epoch milliseconds; `acknowledged` is 0 or 1. */
export type DetectionRow = {
  id: string
  /** Digest of scorer, label, source and subject; a finding with the same key soon after is the same detection. */
  same_key: string
  scorer: string
  label: string
  score: number
  severity: string | null
  subject: string
  reason: string
  entry_id: string
  source_id: string
  text: string
  /** First and last time of the entries that support it. */
  first_time: number
  last_time: number
  entry_count: number
  detected_at: number
  acknowledged: number
  acknowledged_at: number | null
  notes: string | null
}

/** The progress of a scorer in a source: the number of entries, how many of them are within the look-back, and the time of the last one. */
export type ScoredSourceRow = {
  scorer: string
  source_id: string
  entries: number
  recent: number
  seen_until: number
}

/**
 * A note about a task: its last outcome as JSON, or the id of its run. The owner of a task is a lease; earlier versions stored it in `owner` and
 * `ends_at`.
 */
export type ScorerTaskRow = { name: string; owner: string; ends_at: number; outcome: string | null }

export type ScoringTables = {
  log_detections: DetectionRow
  log_scored_sources: ScoredSourceRow
  log_scorer_tasks: ScorerTaskRow
}

export const scoringMigration = (number: number): Migration => ({
  number,
  name: 'detections and how far scorers have come',
  up: async (db) => {
    await db.schema
      .createTable('log_detections')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('same_key', 'text', (column) => column.notNull())
      .addColumn('scorer', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('score', 'real', (column) => column.notNull())
      .addColumn('severity', 'text')
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('entry_id', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('first_time', 'bigint', (column) => column.notNull())
      .addColumn('last_time', 'bigint', (column) => column.notNull())
      .addColumn('entry_count', 'integer', (column) => column.notNull())
      .addColumn('detected_at', 'bigint', (column) => column.notNull())
      .addColumn('acknowledged', 'integer', (column) => column.notNull())
      .addColumn('acknowledged_at', 'bigint')
      .addColumn('notes', 'text')
      .execute()
    await db.schema.createIndex('log_detections_by_time').on('log_detections').columns(['detected_at', 'id']).execute()
    await db.schema
      .createIndex('log_detections_by_same')
      .on('log_detections')
      .columns(['same_key', 'last_time'])
      .execute()
    await db.schema
      .createTable('log_scored_sources')
      .addColumn('scorer', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('entries', 'bigint', (column) => column.notNull())
      .addColumn('recent', 'bigint', (column) => column.notNull())
      .addColumn('seen_until', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_scored_sources_key', ['scorer', 'source_id'])
      .execute()
    await db.schema
      .createTable('log_scorer_tasks')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'bigint', (column) => column.notNull())
      .addColumn('outcome', 'text')
      .execute()
  },
})
