import type { Db } from '../store/tables.ts'

/** The search that looks sellers up, and until when at most: after it, another may. */
export type Lookup = { readonly searchId: string; readonly now: Date; readonly until: Date }

/** How long a claim lasts, in milliseconds. A search whose replica crashed holds its claims no longer, and a lookup that takes longer may be repeated. */
export const claimMilliseconds = 60_000

/** The latest end of a claim that is in force. A later one was made by a replica whose clock was wrong. */
const latestEnd = (now: Date): string => new Date(now.getTime() + 2 * claimMilliseconds).toISOString()

/** Whether a search is looking a seller up. */
export const isBeingLookedUp = (until: string | null | undefined, now: Date): boolean =>
  typeof until === 'string' && until > now.toISOString() && until <= latestEnd(now)

/**
 * Claims sellers for the lookups of a search, and returns those that it may look up: the others are being looked up by another search, on this replica or
 * another. A search that is resumed has its own claims.
 */
export const claimLookups = async (
  db: Db,
  platform: string,
  sellerIds: readonly string[],
  { searchId, now, until }: Lookup,
): Promise<ReadonlySet<string>> => {
  const claimed = await db
    .updateTable('sellers')
    .set({ lookup_id: searchId, lookup_until: until.toISOString() })
    .where('platform', '=', platform)
    .where('platform_seller_id', 'in', sellerIds)
    .where((row) =>
      row.or([
        row('lookup_until', 'is', null),
        row('lookup_until', '<=', now.toISOString()),
        row('lookup_until', '>', latestEnd(now)),
        row('lookup_id', '=', searchId),
      ]),
    )
    .returning('platform_seller_id')
    .execute()
  return new Set(claimed.map(({ platform_seller_id }) => platform_seller_id))
}

/** Ends the claims of a search on sellers, and records when. */
export const releaseLookups = async (
  db: Db,
  platform: string,
  sellerIds: readonly string[],
  { searchId, now }: Pick<Lookup, 'searchId' | 'now'>,
): Promise<void> => {
  if (sellerIds.length === 0) return
  await db
    .updateTable('sellers')
    .set({ lookup_id: null, lookup_until: now.toISOString() })
    .where('platform', '=', platform)
    .where('platform_seller_id', 'in', sellerIds)
    .where('lookup_id', '=', searchId)
    .execute()
}
