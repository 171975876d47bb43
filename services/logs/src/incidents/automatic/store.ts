import type { IncidentDb } from '../all-tables.ts'
import type { IncidentTable } from '../tables.ts'

const onlyRow = 1

/** The time up to which clusters have been evaluated; undefined before the first evaluation. */
export const findEvaluated = async (db: IncidentDb): Promise<number | undefined> =>
  (await db.selectFrom('automatic_incidents').select('evaluated_until').where('id', '=', onlyRow).executeTakeFirst())
    ?.evaluated_until

export const saveEvaluated = (db: IncidentDb, evaluatedUntil: number) =>
  db
    .insertInto('automatic_incidents')
    .values({ id: onlyRow, evaluated_until: evaluatedUntil, owner: '', ends_at: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ evaluated_until: evaluatedUntil }))
    .execute()

/** The time up to which the errors of a source are settled. */
export const settledUntil = async (db: IncidentDb, sourceId: string): Promise<number> =>
  (await db.selectFrom('settled_sources').select('settled_until').where('source_id', '=', sourceId).executeTakeFirst())
    ?.settled_until ?? 0

/** Monotonic: never moves back. */
export const settleSource = (db: IncidentDb, sourceId: string, until: number) =>
  db
    .insertInto('settled_sources')
    .values({ source_id: sourceId, settled_until: until })
    .onConflict((conflict) =>
      conflict
        .column('source_id')
        .doUpdateSet({ settled_until: until })
        .where('settled_sources.settled_until', '<', until),
    )
    .execute()

const issueTypePrefix = 'auto:'

export const issueTypeOf = (sourceId: string): string => `${issueTypePrefix}${sourceId}`

/** The source whose errors an automatic incident was created from. Users may edit its issue type or its source. */
export const errorSourceOf = ({
  issue_type,
  source_id,
}: Pick<IncidentTable, 'issue_type' | 'source_id'>): string | null =>
  issue_type.startsWith(issueTypePrefix) ? issue_type.slice(issueTypePrefix.length) : source_id

/** Unresolved automatic incidents of a source, by `errorSourceOf`, newest first. */
export const unresolvedOf = (db: IncidentDb, sourceId: string, limit: number) =>
  db
    .selectFrom('incidents')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('issue_type', '=', issueTypeOf(sourceId)),
        eb.and([eb('source_id', '=', sourceId), eb('issue_type', 'not like', `${issueTypePrefix}%`)]),
      ]),
    )
    .where('is_automatic', '=', 1)
    .where('status', '<>', 'resolved')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
