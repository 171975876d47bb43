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

export const forgetScoredSource = (db: Db, scorer: string, sourceId: string) =>
  db.deleteFrom('log_scored_sources').where('scorer', '=', scorer).where('source_id', '=', sourceId).execute()

/** Takes or keeps a task; undefined while another has it. */
export const takeTask = (
  db: Db,
  { name, owner, endsAt, now }: { name: string; owner: string; endsAt: number; now: number },
) =>
  db
    .insertInto('log_scorer_tasks')
    .values({ name, owner, ends_at: endsAt, outcome: null })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner, ends_at: endsAt })
        .where((row) => row.or([row('log_scorer_tasks.owner', '=', owner), row('log_scorer_tasks.ends_at', '<', now)])),
    )
    .returning('name')
    .executeTakeFirst()

export const noteTask = (db: Db, { name, owner, outcome }: { name: string; owner: string; outcome: string }) =>
  db.updateTable('log_scorer_tasks').set({ outcome }).where('name', '=', name).where('owner', '=', owner).execute()

/** Gives a task back, with what came of it where that is told. */
export const endTask = (
  db: Db,
  { name, owner, outcome }: { name: string; owner: string; outcome: string | undefined },
) =>
  db
    .updateTable('log_scorer_tasks')
    .set({ ends_at: 0, ...(outcome !== undefined && { outcome }) })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .execute()

export const findTask = (db: Db, name: string) =>
  db.selectFrom('log_scorer_tasks').selectAll().where('name', '=', name).executeTakeFirst()
