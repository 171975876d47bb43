import type { Kysely } from 'kysely'
import type { DetectionRow, ScoringTables } from './tables.ts'

type Db = Kysely<ScoringTables>

export type DetectionFilters = {
  scorer?: string
  acknowledged?: boolean
  label?: string
  sourceId?: string
  limit: number
  after?: { detectedAt: number; id: string }
}

export const findDetection = (db: Db, id: string) =>
  db.selectFrom('log_detections').selectAll().where('id', '=', id).executeTakeFirst()

/** The latest detection with the same key that overlaps a time range. */
export const findSame = (db: Db, { sameKey, from, until }: { sameKey: string; from: number; until: number }) =>
  db
    .selectFrom('log_detections')
    .selectAll()
    .where('same_key', '=', sameKey)
    .where('last_time', '>=', from)
    .where('first_time', '<=', until)
    .orderBy('last_time', 'desc')
    .executeTakeFirst()

export const insertDetection = (db: Db, row: DetectionRow) =>
  db
    .insertInto('log_detections')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()

/** Extends a detection that continues; its shown entry stays. The reason is replaced only if the new one covers all counted entries. */
export const extendDetection = (db: Db, known: DetectionRow, found: DetectionRow) => {
  const continues = found.last_time > known.last_time && found.entry_count >= known.entry_count
  return db
    .updateTable('log_detections')
    .set({
      score: Math.max(known.score, found.score),
      first_time: Math.min(known.first_time, found.first_time),
      last_time: Math.max(known.last_time, found.last_time),
      entry_count: Math.max(known.entry_count, found.entry_count),
      ...(continues && { reason: found.reason }),
    })
    .where('id', '=', known.id)
    .execute()
}

export const listDetections = (db: Db, filters: DetectionFilters): Promise<DetectionRow[]> => {
  const { scorer, acknowledged, label, sourceId, limit, after } = filters
  let query = db.selectFrom('log_detections').selectAll()
  if (scorer !== undefined) query = query.where('scorer', '=', scorer)
  if (acknowledged !== undefined) query = query.where('acknowledged', '=', acknowledged ? 1 : 0)
  if (label !== undefined) query = query.where('label', '=', label)
  if (sourceId !== undefined) query = query.where('source_id', '=', sourceId)
  if (after !== undefined)
    query = query.where((row) =>
      row.or([
        row('detected_at', '<', after.detectedAt),
        row.and([row('detected_at', '=', after.detectedAt), row('id', '<', after.id)]),
      ]),
    )
  return query.orderBy('detected_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** The time stays that of the first acknowledgement; new notes replace the previous ones. */
export const acknowledge = async (db: Db, { id, notes, at }: { id: string; notes: string | undefined; at: number }) => {
  await db
    .updateTable('log_detections')
    .set({ acknowledged: 1, acknowledged_at: at })
    .where('id', '=', id)
    .where('acknowledged', '=', 0)
    .execute()
  if (notes !== undefined) await db.updateTable('log_detections').set({ notes }).where('id', '=', id).execute()
}

export const countDetections = async (
  db: Db,
  { scorer, acknowledged }: Pick<DetectionFilters, 'scorer' | 'acknowledged'>,
) => {
  let query = db.selectFrom('log_detections').select((row) => row.fn.countAll<number>().as('count'))
  if (scorer !== undefined) query = query.where('scorer', '=', scorer)
  if (acknowledged !== undefined) query = query.where('acknowledged', '=', acknowledged ? 1 : 0)
  return Number((await query.executeTakeFirstOrThrow()).count)
}

export const deleteOldest = async (db: Db, count: number) => {
  const last = await db
    .selectFrom('log_detections')
    .select('detected_at')
    .orderBy('detected_at')
    .offset(Math.max(0, count - 1))
    .limit(1)
    .executeTakeFirst()
  if (last) await db.deleteFrom('log_detections').where('detected_at', '<=', last.detected_at).execute()
}
