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

/** All that are known of an incident in a tracker. */
export const ticketIds = async (db: Db, { incident_id, tracker }: Place): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('tickets')
    .select('ticket_id')
    .where('incident_id', '=', incident_id)
    .where('tracker', '=', tracker)
    .execute()
  return new Set(rows.map(({ ticket_id }) => ticket_id))
}

/** Writes down that an attempt begins. Gives when an earlier one began of which nobody knows how it ended; undefined where there is none. */
export const beginAttempt = async (
  db: Db,
  { incident_id, tracker }: Place,
  now: number,
): Promise<number | undefined> => {
  const earlier = await db
    .selectFrom('ticket_exports')
    .select('begun_at')
    .where('incident_id', '=', incident_id)
    .where('tracker', '=', tracker)
    .executeTakeFirst()
  if (earlier) return earlier.begun_at
  await db
    .insertInto('ticket_exports')
    .values({ incident_id, tracker, begun_at: now, ends_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return undefined
}

export const endAttempt = (db: Db, { incident_id, tracker }: Place) =>
  db.deleteFrom('ticket_exports').where('incident_id', '=', incident_id).where('tracker', '=', tracker).execute()
