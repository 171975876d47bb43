import type { Selectable } from 'kysely'
import { earlierOf, endOfMonth, laterOf } from '../account-opening.ts'
import type { SellerFacts } from '../marketplace/adapter.ts'
import type { AccountOpening, CategoryHistory, Seller } from '../records.ts'
import type { Db, Tables } from '../store/tables.ts'

export type SellerRow = Selectable<Tables['sellers']>

const rowsPerStatement = 500

/** The category history of a row; null if there is none, or its source is unknown. */
export const historyOf = (row: SellerRow): CategoryHistory | null => {
  const { category_history_json: text, history_source: source } = row
  const history = text === null || source === null ? {} : (JSON.parse(text) as CategoryHistory)
  return Object.keys(history).length === 0 ? null : history
}

/**
 * When an account was opened. Rows from before intervals were stored have only the first day of the month; it may then have
 * been any day of that month up to the one on which it was read.
 */
const openingOf = (row: SellerRow): AccountOpening | null => {
  const { account_opened_on: earliest, account_opened_until: latest } = row
  if (earliest === null) return null
  const read = (row.account_read_at ?? row.fetched_at).slice(0, 10)
  return { earliest, latest: latest ?? earlierOf(endOfMonth(earliest), read) }
}

/** Converts a stored row to a seller. */
export const sellerOf = (row: SellerRow): Seller => ({
  platform: row.platform,
  platformSellerId: row.platform_seller_id,
  username: row.username,
  accountOpened: openingOf(row),
  feedbackCount: row.feedback_count,
  feedbackRatio: row.feedback_ratio,
  categoryHistory: historyOf(row),
})

const newRow = ({ platform, platformSellerId, username, feedbackCount, feedbackRatio }: Seller, now: Date) => ({
  platform,
  platform_seller_id: platformSellerId,
  username,
  feedback_count: feedbackCount,
  feedback_ratio: feedbackRatio,
  feedback_read_at: feedbackCount === null && feedbackRatio === null ? null : now.toISOString(),
  fetched_at: now.toISOString(),
})

/**
 * Inserts or updates the sellers of search results; values that are unknown now do not overwrite known ones. Results show only
 * the feedback of a seller. Rows are written in a fixed order, so that concurrent searches with the same sellers cannot
 * deadlock.
 */
export const upsertSellers = async (db: Db, found: readonly Seller[], now: Date): Promise<void> => {
  const sellers = found.toSorted((a, b) => (a.platformSellerId < b.platformSellerId ? -1 : 1))
  for (let start = 0; start < sellers.length; start += rowsPerStatement) {
    await db
      .insertInto('sellers')
      .values(sellers.slice(start, start + rowsPerStatement).map((seller) => newRow(seller, now)))
      .onConflict((conflict) =>
        conflict.columns(['platform', 'platform_seller_id']).doUpdateSet((eb) => ({
          username: eb.ref('excluded.username'),
          feedback_count: eb.fn.coalesce('excluded.feedback_count', 'sellers.feedback_count'),
          feedback_ratio: eb.fn.coalesce('excluded.feedback_ratio', 'sellers.feedback_ratio'),
          feedback_read_at: eb.fn.coalesce('excluded.feedback_read_at', 'sellers.feedback_read_at'),
          fetched_at: eb.ref('excluded.fetched_at'),
        })),
      )
      .execute()
  }
}

/** The listing whose page facts were read from, and when. */
export type Source = { readonly listingId: string; readonly now: Date }

/**
 * What is known after a date is read again: the account was open when it was first read, and one page may show the day and
 * another the month. A date that contradicts the stored one replaces it.
 */
const narrowed = (row: SellerRow, read: AccountOpening): AccountOpening => {
  const { account_opened_on: first, account_opened_until: last, account_listing_id: source } = row
  if (source === null || first === null || last === null) return read
  const earliest = laterOf(first, read.earliest)
  const latest = earlierOf(last, read.latest)
  return earliest > latest ? read : { earliest, latest }
}

/** Columns for the facts of an item page. Clears a join date that was never checked against a page of the seller. */
const columnsOf = (row: SellerRow, facts: SellerFacts, { listingId, now }: Source): Partial<SellerRow> => {
  const { feedbackCount, feedbackRatio } = facts
  const accountOpened = facts.accountOpened && narrowed(row, facts.accountOpened)
  const at = now.toISOString()
  const keepsAccount = accountOpened === null && row.account_listing_id !== null
  const account = keepsAccount
    ? {}
    : {
        account_opened_on: accountOpened?.earliest ?? null,
        account_opened_until: accountOpened?.latest ?? null,
        account_listing_id: accountOpened === null ? null : listingId,
        account_read_at: accountOpened === null ? null : at,
      }
  const hasFeedback = feedbackCount !== null || feedbackRatio !== null
  return {
    ...account,
    ...(feedbackCount === null ? {} : { feedback_count: feedbackCount }),
    ...(feedbackRatio === null ? {} : { feedback_ratio: feedbackRatio }),
    ...(hasFeedback ? { feedback_read_at: at } : {}),
    ...(facts.platformUserId ? { platform_user_id: facts.platformUserId } : {}),
    fetched_at: at,
  }
}

/** Stores the facts that the page of one of a seller's listings shows. */
export const recordFacts = async (db: Db, row: SellerRow, facts: SellerFacts, source: Source): Promise<void> => {
  await db
    .updateTable('sellers')
    .set(columnsOf(row, facts, source))
    .where('id', '=', row.id)
    .execute()
}

/** Stores the category history that a seller's own page shows. */
export const recordHistory = async (db: Db, row: SellerRow, history: CategoryHistory, now: Date): Promise<void> => {
  const at = now.toISOString()
  await db
    .updateTable('sellers')
    .set({
      category_history_json: JSON.stringify(history),
      history_source: 'marketplace',
      history_read_at: at,
      fetched_at: at,
    })
    .where('id', '=', row.id)
    .execute()
}

/** The sellers of a platform by their ids there, as shared by all users; unknown ones are left out. */
export const findSellers = async (
  db: Db,
  platform: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SellerRow>> => {
  const rows: SellerRow[] = []
  for (let start = 0; start < ids.length; start += rowsPerStatement) {
    const chunk = ids.slice(start, start + rowsPerStatement)
    rows.push(
      ...(await db
        .selectFrom('sellers')
        .selectAll()
        .where('platform', '=', platform)
        .where('platform_seller_id', 'in', chunk)
        .execute()),
    )
  }
  return new Map(rows.map((row) => [row.platform_seller_id, row]))
}
