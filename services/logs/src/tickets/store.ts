import type { IncidentDb } from '../incidents/all-tables.ts'
import type { TicketTable } from './tables.ts'

type Db = IncidentDb
type TicketKey = Pick<TicketTable, 'incident_id' | 'tracker'>

/** The newest ticket of an incident in a tracker. */
export const findTicket = (db: Db, { incident_id, tracker }: TicketKey) =>
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

/** The ids of all known tickets of an incident in a tracker. */
export const ticketIds = async (db: Db, { incident_id, tracker }: TicketKey): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('tickets')
    .select('ticket_id')
    .where('incident_id', '=', incident_id)
    .where('tracker', '=', tracker)
    .execute()
  return new Set(rows.map(({ ticket_id }) => ticket_id))
}

/** Records the start of an attempt. Returns the start of an earlier attempt with unknown outcome, or undefined if there is none. */
export const beginAttempt = async (
  db: Db,
  { incident_id, tracker }: TicketKey,
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

export const endAttempt = (db: Db, { incident_id, tracker }: TicketKey) =>
  db.deleteFrom('ticket_exports').where('incident_id', '=', incident_id).where('tracker', '=', tracker).execute()
