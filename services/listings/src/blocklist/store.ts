import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '@trellis/kit/rpc'
import { type Migration, transact } from '@trellis/kit/store'
import type { Generated, Kysely, Selectable } from 'kysely'

/**
 * Sellers that are not trusted. The list is shared: `owner` is empty. What guests import is theirs alone, since anyone can be a
 * guest: `owner` is then the guest's user id.
 */
export type BlocklistTables = {
  blocklist: {
    id: Generated<number>
    owner: string
    platform: string
    platform_seller_id: string
    username: string
    reason: string | null
    source: 'manual' | 'csv_import' | 'community'
    created_at: string
  }
}

export const blocklistMigration = (number: number): Migration => ({
  number,
  name: 'blocklist of sellers',
  up: async (db) => {
    await db.schema
      .createTable('blocklist')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('platform_seller_id', 'text', (column) => column.notNull())
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('blocklist_by_seller', ['platform', 'platform_seller_id', 'owner'])
      .execute()
  },
})

type Db = Kysely<BlocklistTables>
export type BlocklistRow = Selectable<BlocklistTables['blocklist']>
export type NewEntry = Pick<BlocklistRow, 'platform' | 'platform_seller_id' | 'username' | 'reason' | 'source'>

/** The shared part of the list. */
export const sharedOwner = ''

/** Maximum entries of the shared list, and of a guest's own. */
export const maxEntries = { shared: 100_000, guest: 10_000 } as const

/** Whose part of the list a caller adds to. */
export const ownerOf = ({ kind, userId }: Pick<Caller, 'kind' | 'userId'>): string =>
  kind === 'guest' ? userId : sharedOwner

const rowsPerStatement = 500

/** What identifies a seller, as one text. */
export const keyOf = (entry: Pick<BlocklistRow, 'platform' | 'platform_seller_id'>): string =>
  JSON.stringify([entry.platform, entry.platform_seller_id])

/**
 * Adds entries to one part of the list. An existing or earlier entry for a seller gets the new name and source, and the new reason unless
 * that is null. All entries are added or, beyond the maximum, none; then it returns undefined.
 */
export const addEntries = (
  db: Db,
  owner: string,
  entries: readonly NewEntry[],
  now: Date,
): Promise<BlocklistRow[] | undefined> => {
  const max = owner === sharedOwner ? maxEntries.shared : maxEntries.guest
  const byKey = new Map<string, NewEntry>()
  for (const entry of entries) {
    const key = keyOf(entry)
    byKey.set(key, { ...entry, reason: entry.reason ?? byKey.get(key)?.reason ?? null })
  }
  // Sorted, so that concurrent imports lock rows in the same order.
  const rows = [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => ({ ...entry, owner, created_at: now.toISOString() }))
  const isFull = Symbol('full')
  const add = transact(db, async (transaction) => {
    const added: BlocklistRow[] = []
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      // An embedded database works in this thread, which serves other calls between two statements.
      if (start > 0) await nextTurn()
      added.push(
        ...(await transaction
          .insertInto('blocklist')
          .values(rows.slice(start, start + rowsPerStatement))
          .onConflict((conflict) =>
            conflict.columns(['platform', 'platform_seller_id', 'owner']).doUpdateSet((eb) => ({
              username: eb.ref('excluded.username'),
              source: eb.ref('excluded.source'),
              reason: eb.fn.coalesce('excluded.reason', 'blocklist.reason'),
            })),
          )
          .returningAll()
          .execute()),
      )
    }
    const { count } = await transaction
      .selectFrom('blocklist')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow()
    // Thrown to roll back.
    if (Number(count) > max) throw isFull
    return added
  })
  return add.catch((error: unknown) => {
    if (error === isFull) return undefined
    throw error
  })
}

/** Removes a seller from the shared list: of one platform, or of all. */
export const removeEntry = async (db: Db, sellerId: string, platform: string | undefined): Promise<void> => {
  const entries = db.deleteFrom('blocklist').where('owner', '=', sharedOwner).where('platform_seller_id', '=', sellerId)
  await (platform === undefined ? entries : entries.where('platform', '=', platform)).execute()
}

/** The parts of the list that apply to a user: the shared one, and the user's own. */
const ownersFor = (userId: string): readonly string[] => [sharedOwner, userId]

/** A page of the entries that apply to a user, of all platforms, latest first, before an id. An entry may be in both parts. */
export const entriesBefore = (
  db: Db,
  userId: string,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<BlocklistRow[]> => {
  const query = db
    .selectFrom('blocklist')
    .selectAll()
    .where('owner', 'in', ownersFor(userId))
    .orderBy('id', 'desc')
    .limit(limit)
  return (before === undefined ? query : query.where('id', '<', before)).execute()
}

/** Which of the sellers are blocked for a user, with the reasons. */
export const findBlocked = async (
  db: Db,
  userId: string,
  platform: string,
  sellers: readonly string[],
): Promise<ReadonlyMap<string, { readonly reason: string | null }>> => {
  if (sellers.length === 0) return new Map()
  const rows = await db
    .selectFrom('blocklist')
    .select(['platform_seller_id', 'reason'])
    .where('owner', 'in', ownersFor(userId))
    .where('platform', '=', platform)
    .where('platform_seller_id', 'in', [...new Set(sellers)])
    .execute()
  return new Map(rows.map(({ platform_seller_id, reason }) => [platform_seller_id, { reason }]))
}
