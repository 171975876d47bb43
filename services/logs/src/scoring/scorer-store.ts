import type { Kysely } from 'kysely'
import type { ScoredSourceRow, ScoringTables } from './tables.ts'

type Db = Kysely<ScoringTables>

export const scoredSources = async (db: Db, scorer: string): Promise<ReadonlyMap<string, ScoredSourceRow>> => {
  const rows = await db.selectFrom('log_scored_sources').selectAll().where('scorer', '=', scorer).execute()
  return new Map(rows.map((row) => [row.source_id, row]))
}

export const saveScoredSource = (db: Db, row: ScoredSourceRow) =>
  db
    .insertInto('log_scored_sources')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['scorer', 'source_id'])
        .doUpdateSet({ entries: row.entries, recent: row.recent, seen_until: row.seen_until }),
    )
    .execute()

export const deleteScoredSource = (db: Db, scorer: string, sourceId: string) =>
  db.deleteFrom('log_scored_sources').where('scorer', '=', scorer).where('source_id', '=', sourceId).execute()

/** Stores a note about a task: its outcome, or the id of its current run. */
export const noteTask = (db: Db, { name, outcome }: { name: string; outcome: string }) =>
  db
    .insertInto('log_scorer_tasks')
    .values({ name, outcome, owner: '', ends_at: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ outcome }))
    .execute()

export const findNote = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('log_scorer_tasks').select('outcome').where('name', '=', name).executeTakeFirst())?.outcome ??
  undefined
