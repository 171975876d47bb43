import type { Db, PublishedSignalRow } from './store.ts'

export const insertPublished = (db: Db, row: PublishedSignalRow) =>
  db.insertInto('published_signals').values(row).execute()

export const countPublished = async (db: Db): Promise<number> => {
  const query = db.selectFrom('published_signals').select(({ fn }) => fn.countAll().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

export const hasDueSignals = async (db: Db, now: number): Promise<boolean> =>
  (await db
    .selectFrom('published_signals')
    .select('id')
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<', now)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Claims due signals for this replica until a time, oldest first; those that another replica has claimed are left out. */
export const claimSignals = (
  db: Db,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<PublishedSignalRow[]> =>
  db
    .updateTable('published_signals')
    .set((eb) => ({ claimed_until: until, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('published_signals as due')
        .select('due.id')
        .where('due.next_attempt_at', '<=', now)
        .where('due.claimed_until', '<', now)
        .orderBy('due.next_attempt_at')
        .limit(limit),
    )
    .where('claimed_until', '<', now)
    .returningAll()
    .execute()

const idsOf = (rows: readonly PublishedSignalRow[]): string[] => rows.map(({ id }) => id)

export const deletePublished = (db: Db, rows: readonly PublishedSignalRow[]) =>
  db.deleteFrom('published_signals').where('id', 'in', idsOf(rows)).execute()

/** Releases the claim on signals until their next attempt. */
export const postponeSignals = (
  db: Db,
  rows: readonly PublishedSignalRow[],
  { next, error }: { readonly next: number; readonly error: string },
) =>
  db
    .updateTable('published_signals')
    .set({ next_attempt_at: next, claimed_until: 0, last_error: error })
    .where('id', 'in', idsOf(rows))
    .execute()
