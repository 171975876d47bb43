import type { IncidentDb } from '../incidents/all-tables.ts'
import type { TicketTable } from './tables.ts'

type Db = IncidentDb
type Place = Pick<TicketTable, 'incident_id' | 'tracker'>

/** The newest. */
export const findTicket = (db: Db, { incident_id, tracker }: Place) =>
  db
    .selectFrom('tickets')
    .selectAll()
    .where('incident_id', '=', incident_id)
    .where('tracker', '=', tracker)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const insertTicket = (db: Db, row: TicketTable) =>
  db
    .insertInto('tickets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Whether this one may export now. */
export const beginExport = async (db: Db, place: Place, now: number, endsAt: number): Promise<boolean> => {
  const begun = await db
    .insertInto('ticket_exports')
    .values({ ...place, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict
        .columns(['incident_id', 'tracker'])
        .doUpdateSet({ ends_at: endsAt })
        .where('ticket_exports.ends_at', '<', now),
    )
    .returning('ends_at')
    .executeTakeFirst()
  return begun !== undefined
}

export const endExport = (db: Db, { incident_id, tracker }: Place) =>
  db.deleteFrom('ticket_exports').where('incident_id', '=', incident_id).where('tracker', '=', tracker).execute()
