import type { IncidentDb } from '../all-tables.ts'

const onlyRow = 1

/** Takes the looking for this process until a moment; undefined while another has it. Gives up to when it has been looked. */
export const beginEvaluation = (
  db: IncidentDb,
  { owner, now, endsAt }: { owner: string; now: number; endsAt: number },
): Promise<{ evaluated_until: number } | undefined> =>
  db
    .insertInto('automatic_incidents')
    .values({ id: onlyRow, evaluated_until: now, owner, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ owner, ends_at: endsAt }).where('automatic_incidents.ends_at', '<', now),
    )
    .returning('evaluated_until')
    .executeTakeFirst()

/** Lets go of it; `evaluatedUntil` is left out where it was not finished. */
export const endEvaluation = (db: IncidentDb, owner: string, evaluatedUntil: number | undefined) =>
  db
    .updateTable('automatic_incidents')
    .set({ ends_at: 0, ...(evaluatedUntil !== undefined && { evaluated_until: evaluatedUntil }) })
    .where('id', '=', onlyRow)
    .where('owner', '=', owner)
    .execute()

/** Up to when the errors of a source have been dealt with. */
export const settledUntil = async (db: IncidentDb, sourceId: string): Promise<number> =>
  (await db.selectFrom('settled_sources').select('settled_until').where('source_id', '=', sourceId).executeTakeFirst())
    ?.settled_until ?? 0

export const settleSource = (db: IncidentDb, sourceId: string, until: number) =>
  db
    .insertInto('settled_sources')
    .values({ source_id: sourceId, settled_until: until })
    .onConflict((conflict) => conflict.column('source_id').doUpdateSet({ settled_until: until }))
    .execute()

/** Automatic incidents of a source that are not resolved, newest first. */
export const unresolvedOf = (db: IncidentDb, issueType: string, limit: number) =>
  db
    .selectFrom('incidents')
    .selectAll()
    .where('issue_type', '=', issueType)
    .where('is_automatic', '=', 1)
    .where('status', '<>', 'resolved')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
