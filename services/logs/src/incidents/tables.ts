import type { Migration } from '@trellis/kit/store'
import type { Generated } from 'kysely'

/** Times are epoch milliseconds; booleans are 0 or 1. */
export type IncidentTables = {
  incidents: IncidentTable
  incident_entries: AttachedEntryTable
  incident_events: IncidentEventTable
}

export type IncidentTable = {
  id: string
  label: string
  status: string
  started_at: number
  /** null while it is ongoing. */
  ended_at: number | null
  notes: string
  severity: string | null
  issue_type: string
  /** The query of its entries; null for entries of WARN and above. */
  query: string | null
  /** The source of its entries, or a prefix of sources; null for all. */
  source_id: string | null
  is_automatic: number
  /** 1 once a user has set its start, or its end: later errors do not move it then. */
  is_start_set: number
  is_end_set: number
  /** Number of errors that an automatic incident was created from. */
  error_count: number
  created_at: number
  updated_at: number
  acknowledged_at: number | null
  resolved_at: number | null
}

/** An entry that a user attached, as it was then; it outlives the original, which retention may delete. */
export type AttachedEntryTable = {
  incident_id: string
  entry_id: string
  /** The sort key. */
  time: number
  attached_at: number
  /** The entry as the API shows it, as JSON. */
  content: string
}

/** The events of an incident, in order of `number`. */
export type IncidentEventTable = {
  number: Generated<number>
  incident_id: string
  kind: string
  detail: string
  at: number
}

export const incidentMigration: Migration = {
  number: 1,
  name: 'incidents, what is attached to them and what happened to them',
  up: async (db) => {
    await db.schema
      .createTable('incidents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('started_at', 'integer', (column) => column.notNull())
      .addColumn('ended_at', 'integer')
      .addColumn('notes', 'text', (column) => column.notNull())
      .addColumn('severity', 'text')
      .addColumn('issue_type', 'text', (column) => column.notNull())
      .addColumn('query', 'text')
      .addColumn('source_id', 'text')
      .addColumn('is_automatic', 'integer', (column) => column.notNull())
      .addColumn('error_count', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('updated_at', 'integer', (column) => column.notNull())
      .addColumn('acknowledged_at', 'integer')
      .addColumn('resolved_at', 'integer')
      .execute()
    await db.schema.createIndex('incidents_by_creation').on('incidents').columns(['created_at', 'id']).execute()
    await db.schema
      .createIndex('incidents_by_issue_type')
      .on('incidents')
      .columns(['issue_type', 'created_at'])
      .execute()
    await db.schema
      .createTable('incident_entries')
      .addColumn('incident_id', 'text', (column) => column.notNull().references('incidents.id').onDelete('cascade'))
      .addColumn('entry_id', 'text', (column) => column.notNull())
      .addColumn('time', 'integer', (column) => column.notNull())
      .addColumn('attached_at', 'integer', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('incident_entries_key', ['incident_id', 'entry_id'])
      .execute()
    await db.schema
      .createTable('incident_events')
      .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('incident_id', 'text', (column) => column.notNull().references('incidents.id').onDelete('cascade'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .addColumn('at', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('incident_events_by_incident')
      .on('incident_events')
      .columns(['incident_id', 'number'])
      .execute()
  },
}

export const windowMigration: Migration = {
  number: 5,
  name: 'windows of incidents that somebody has set',
  up: async (db) => {
    for (const column of ['is_start_set', 'is_end_set'] as const)
      await db.schema
        .alterTable('incidents')
        .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(0))
        .execute()
  },
}
