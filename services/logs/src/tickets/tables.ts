import type { Migration } from '@trellis/kit/store'

export type TicketTables = { tickets: TicketTable; ticket_exports: TicketExportTable }

/** A ticket created from an incident. Times are epoch milliseconds. */
export type TicketTable = {
  incident_id: string
  tracker: string
  ticket_id: string
  url: string
  label: string
  created_at: number
}

/**
 * An attempt to create a ticket whose outcome is unknown: it is in progress, or its process or the connection failed. A lease identifies the
 * process in charge; earlier versions stored that here, in `ends_at`.
 */
export type TicketExportTable = { incident_id: string; tracker: string; begun_at: number; ends_at: number }

export const ticketMigration: Migration = {
  number: 3,
  name: 'tickets of incidents',
  up: async (db) => {
    await db.schema
      .createTable('tickets')
      .addColumn('incident_id', 'text', (column) => column.notNull())
      .addColumn('tracker', 'text', (column) => column.notNull())
      .addColumn('ticket_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('tickets_key', ['incident_id', 'tracker', 'ticket_id'])
      .execute()
    await db.schema
      .createTable('ticket_exports')
      .addColumn('incident_id', 'text', (column) => column.notNull())
      .addColumn('tracker', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('ticket_exports_key', ['incident_id', 'tracker'])
      .execute()
  },
}

export const ticketAttemptMigration: Migration = {
  number: 6,
  name: 'when attempts to make tickets began',
  up: async (db) => {
    await db.schema
      .alterTable('ticket_exports')
      .addColumn('begun_at', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
