import { sql } from '@trellis/kit/store'
import type { Expression, ExpressionBuilder, RawBuilder } from 'kysely'
import type { AllIncidentTables, IncidentDb } from './all-tables.ts'
import type { ListPosition } from './paging.ts'
import type { AttachedEntryTable, IncidentEventTable, IncidentTable } from './tables.ts'

export type Db = IncidentDb

/** An incident and how many entries are attached to it. */
export type IncidentRow = IncidentTable & { attached_count: number }

export type IncidentFilters = {
  statuses?: readonly string[]
  severities?: readonly string[]
  issueType?: string
  /** Part of the label or the notes, in any case. */
  text?: string
  since?: number
  until?: number
}

const attachedCount = (eb: ExpressionBuilder<AllIncidentTables, 'incidents'>) =>
  eb
    .selectFrom('incident_entries')
    .whereRef('incident_entries.incident_id', '=', 'incidents.id')
    .select((count) => count.fn.countAll<number>().as('count'))
    .as('attached_count')

const asRow = <Row extends IncidentTable & { attached_count: number | null }>(row: Row): IncidentRow => ({
  ...row,
  attached_count: row.attached_count ?? 0,
})

export const insertIncident = (db: Db, row: IncidentTable) => db.insertInto('incidents').values(row).execute()

export const findIncident = async (db: Db, id: string): Promise<IncidentRow | undefined> => {
  const row = await db.selectFrom('incidents').selectAll().select(attachedCount).where('id', '=', id).executeTakeFirst()
  return row && asRow(row)
}

export const updateIncident = (db: Db, id: string, change: Partial<IncidentTable>) =>
  db.updateTable('incidents').set(change).where('id', '=', id).execute()

export const deleteIncident = (db: Db, id: string) =>
  db.deleteFrom('incidents').where('id', '=', id).returningAll().executeTakeFirst()

/** Letters that are replaced at most; each costs a pass over the column. */
const maxFolded = 40

/**
 * A column in lower case. `lower` of SQLite, and of Postgres in some locales, folds ASCII letters only: the other letters of the text that the column is
 * compared with are replaced one by one.
 */
const folded = (column: Expression<string>, text: string): RawBuilder<string> => {
  const letters = [...new Set(text)]
    .filter((letter) => letter > '\u007f' && letter.toUpperCase() !== letter)
    .slice(0, maxFolded)
  return letters.reduce(
    (inner, letter) => sql<string>`replace(${inner}, ${letter.toUpperCase()}, ${letter})`,
    sql<string>`lower(${column})`,
  )
}

/** A LIKE pattern for any text that contains this one; wildcards in it are escaped by a backslash. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Newest first. */
export const listIncidents = async (
  db: Db,
  filters: IncidentFilters,
  { limit, after }: { limit: number; after: ListPosition | undefined },
): Promise<IncidentRow[]> => {
  const { statuses, severities, issueType, text, since, until } = filters
  let query = db.selectFrom('incidents').selectAll().select(attachedCount)
  if (statuses) query = query.where('status', 'in', statuses)
  if (severities) query = query.where('severity', 'in', severities)
  if (issueType !== undefined) query = query.where('issue_type', '=', issueType)
  if (text !== undefined) {
    const lower = text.toLowerCase()
    const pattern = containing(lower)
    query = query.where((eb) =>
      eb.or(
        (['label', 'notes'] as const).map(
          (column) => sql<boolean>`${folded(eb.ref(column), lower)} like ${pattern} escape '\\'`,
        ),
      ),
    )
  }
  if (since !== undefined) query = query.where((eb) => eb.or([eb('ended_at', '>=', since), eb('ended_at', 'is', null)]))
  if (until !== undefined) query = query.where('started_at', '<', until)
  if (after) {
    query = query.where((eb) =>
      eb.or([eb('created_at', '<', after.time), eb.and([eb('created_at', '=', after.time), eb('id', '<', after.id)])]),
    )
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(asRow)
}

/** Other incidents with the same label, issue type or source, newest first. */
export const similarIncidents = (db: Db, { id, label, issue_type, source_id }: IncidentTable, limit: number) =>
  db
    .selectFrom('incidents')
    .selectAll()
    .where('id', '<>', id)
    .where((eb) =>
      eb.or([
        eb('label', '=', label),
        ...(issue_type === '' ? [] : [eb('issue_type', '=', issue_type)]),
        ...(source_id === null ? [] : [eb('source_id', '=', source_id)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Those of the entries that are attached. */
export const findAttached = async (
  db: Db,
  incidentId: string,
  entryIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('incident_entries')
    .select('entry_id')
    .where('incident_id', '=', incidentId)
    .where('entry_id', 'in', entryIds)
    .execute()
  return new Set(rows.map(({ entry_id }) => entry_id))
}

/** Attaches the entries that are not attached yet; returns their number. */
export const attachEntries = async (db: Db, rows: readonly AttachedEntryTable[]): Promise<number> => {
  if (rows.length === 0) return 0
  const attached = await db
    .insertInto('incident_entries')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['incident_id', 'entry_id']).doNothing())
    .returning('entry_id')
    .execute()
  return attached.length
}

export const detachEntry = (db: Db, incidentId: string, entryId: string) =>
  db
    .deleteFrom('incident_entries')
    .where('incident_id', '=', incidentId)
    .where('entry_id', '=', entryId)
    .returning('entry_id')
    .executeTakeFirst()

/** Oldest first. */
export const attachedEntries = (db: Db, incidentId: string, limit: number) =>
  db
    .selectFrom('incident_entries')
    .selectAll()
    .where('incident_id', '=', incidentId)
    .orderBy('time')
    .orderBy('entry_id')
    .limit(limit)
    .execute()

export type NewEvent = Omit<IncidentEventTable, 'number'>

export const addEvent = (db: Db, event: NewEvent) => db.insertInto('incident_events').values(event).execute()

/** Newest first. */
export const listEvents = (db: Db, incidentId: string, limit: number) =>
  db
    .selectFrom('incident_events')
    .selectAll()
    .where('incident_id', '=', incidentId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
