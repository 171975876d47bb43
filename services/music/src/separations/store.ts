import type { Db, StemsRow } from '../store/tables.ts'

export const findStems = (db: Db, nodeId: string): Promise<StemsRow | undefined> =>
  db.selectFrom('stems').selectAll().where('node_id', '=', nodeId).executeTakeFirst()

/** Inserts stems, or replaces those that failed. */
export const putStems = async (db: Db, { node_id, ...row }: StemsRow): Promise<void> => {
  await db
    .insertInto('stems')
    .values({ node_id, ...row })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet(row))
    .execute()
}

/** Updates stems if this is still their run and it has not ended; returns them, or undefined. */
export const updateSeparating = (
  db: Db,
  { nodeId, runId }: { nodeId: string; runId: string },
  changes: Partial<StemsRow>,
): Promise<StemsRow | undefined> => {
  const query = db.updateTable('stems').set(changes).where('node_id', '=', nodeId).where('run_id', '=', runId)
  return query.where('status', '=', 'generating').returningAll().executeTakeFirst()
}

/** Deletes the stems of a node and returns them. */
export const deleteStems = (db: Db, nodeId: string): Promise<StemsRow | undefined> =>
  db.deleteFrom('stems').where('node_id', '=', nodeId).returningAll().executeTakeFirst()

export const separatingStems = (db: Db): Promise<StemsRow[]> =>
  db.selectFrom('stems').selectAll().where('status', '=', 'generating').execute()
