import type { Kysely } from 'kysely'
import type { SavedSearchRow, SavedSearchTables } from '../saved-searches/store.ts'
import type { Tables } from '../store/tables.ts'
import type { Outcome } from './outcome.ts'

type Db = Kysely<Tables & SavedSearchTables>

/** A run of a monitor that is under way, and what is known of its search. */
export type UnderWay = {
  readonly id: number
  readonly run_id: string | null
  readonly run_started_at: string | null
  readonly session_id: string | null
  readonly ended_at: string | null
}

/** Runs that are under way, on any replica. */
export const runsUnderWay = (db: Db, limit: number): Promise<UnderWay[]> =>
  db
    .selectFrom('saved_searches')
    .leftJoin('search_sessions', 'search_sessions.id', 'saved_searches.run_id')
    .select(['saved_searches.id as id', 'run_id', 'run_started_at', 'search_sessions.id as session_id', 'ended_at'])
    .where('run_id', 'is not', null)
    .orderBy('run_started_at')
    .limit(limit)
    .execute()

/** Monitors that are due, the longest first. */
export const dueMonitors = (db: Db, now: Date, limit: number): Promise<SavedSearchRow[]> =>
  db
    .selectFrom('saved_searches')
    .selectAll()
    .where('next_check_at', '<=', now.toISOString())
    .where('run_id', 'is', null)
    .orderBy('next_check_at')
    .limit(limit)
    .execute()

/** How many monitors the user has switched on before this one. */
export const countEarlierMonitors = async (db: Db, { user_id, id }: SavedSearchRow): Promise<number> => {
  const { count } = await db
    .selectFrom('saved_searches')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', user_id)
    .where('monitor_enabled', '=', 1)
    .where('id', '<', id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Starts a run for this replica; undefined if another has, or the monitor is no longer due. */
export const claimDue = (db: Db, id: number, runId: string, now: Date): Promise<SavedSearchRow | undefined> =>
  db
    .updateTable('saved_searches')
    .set({ run_id: runId, run_started_at: now.toISOString(), claimed_until: null })
    .where('id', '=', id)
    .where('run_id', 'is', null)
    .where('next_check_at', '<=', now.toISOString())
    .returningAll()
    .executeTakeFirst()

/** Claims a run that is under way for this replica until a time; undefined while another has it, or it is over. */
export const claimRun = (
  db: Db,
  { id, run_id }: Pick<UnderWay, 'id' | 'run_id'>,
  now: Date,
  until: Date,
): Promise<SavedSearchRow | undefined> =>
  db
    .updateTable('saved_searches')
    .set({ claimed_until: until.toISOString() })
    .where('id', '=', id)
    .where('run_id', '=', run_id)
    .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<', now.toISOString())]))
    .returningAll()
    .executeTakeFirst()

/** Ends a run; false if it is over already. A monitor that was switched off meanwhile stays so. */
export const endRun = async (db: Db, id: number, runId: string, outcome: Outcome): Promise<boolean> => {
  const { next_check_at, ...rest } = outcome
  const ended = await db
    .updateTable('saved_searches')
    .set((row) => ({
      ...rest,
      run_id: null,
      run_started_at: null,
      claimed_until: null,
      next_check_at: row.case().when('monitor_enabled', '=', 1).then(next_check_at).else(null).end(),
    }))
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** Ends a run that has left nothing, without an outcome: the monitor is still due. */
export const abandonRun = async (db: Db, id: number, runId: string): Promise<void> => {
  await db
    .updateTable('saved_searches')
    .set({ run_id: null, run_started_at: null, claimed_until: null })
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .execute()
}

/** Records that a due monitor could not run. */
export const recordRefusal = async (
  db: Db,
  id: number,
  change: Partial<Outcome> & { readonly monitor_enabled?: 0 },
): Promise<void> => {
  await db.updateTable('saved_searches').set(change).where('id', '=', id).where('run_id', 'is', null).execute()
}

/** Listings that a search saw, with their scores. */
export const listingsSeenBy = (db: Db, searchId: string) =>
  db
    .selectFrom('listing_sightings')
    .innerJoin('listings', 'listings.id', 'listing_sightings.listing_id')
    .innerJoin('trust_scores', 'trust_scores.listing_id', 'listings.id')
    .selectAll('listings')
    .select('score_json')
    .where('listing_sightings.search_id', '=', searchId)
    .orderBy('composite_score', 'desc')
    .orderBy('listings.id')
    .execute()
