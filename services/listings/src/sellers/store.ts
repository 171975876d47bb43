import type { Selectable } from 'kysely'
import { categoryCounts } from '../found/store.ts'
import { historyFrom } from '../marketplace/categories.ts'
import { accountAgeDays } from '../marketplace/item-page.ts'
import type { CategoryHistory, Seller } from '../records.ts'
import type { Db, Tables } from '../store/tables.ts'

export type SellerRow = Selectable<Tables['sellers']>

const day = 86_400_000
const rowsPerStatement = 500

const historyOf = (text: string | null): CategoryHistory | null => {
  const history = text === null ? {} : (JSON.parse(text) as CategoryHistory)
  return Object.keys(history).length === 0 ? null : history
}

/** A stored row as the seller of this moment: the account's age is counted from the day it was opened. */
export const sellerOf = (row: SellerRow, now: Date): Seller => ({
  platform: row.platform,
  platformSellerId: row.platform_seller_id,
  username: row.username,
  accountAgeDays: row.account_opened_on === null ? null : accountAgeDays(row.account_opened_on, now),
  feedbackCount: row.feedback_count,
  feedbackRatio: row.feedback_ratio,
  categoryHistory: historyOf(row.category_history_json),
})

const newRow = (seller: Seller, now: Date) => ({
  platform: seller.platform,
  platform_seller_id: seller.platformSellerId,
  username: seller.username,
  account_opened_on:
    seller.accountAgeDays === null
      ? null
      : new Date(now.getTime() - seller.accountAgeDays * day).toISOString().slice(0, 10),
  feedback_count: seller.feedbackCount,
  feedback_ratio: seller.feedbackRatio,
  category_history_json: seller.categoryHistory === null ? null : JSON.stringify(seller.categoryHistory),
  fetched_at: now.toISOString(),
})

/**
 * Adds sellers or brings them up to date; what is unknown now does not overwrite what was known. Always in the same order, so
 * that two searches that found the same sellers do not wait for each other.
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
          account_opened_on: eb.fn.coalesce('excluded.account_opened_on', 'sellers.account_opened_on'),
          feedback_count: eb.fn.coalesce('excluded.feedback_count', 'sellers.feedback_count'),
          feedback_ratio: eb.fn.coalesce('excluded.feedback_ratio', 'sellers.feedback_ratio'),
          category_history_json: eb.fn.coalesce('excluded.category_history_json', 'sellers.category_history_json'),
          fetched_at: eb.ref('excluded.fetched_at'),
        })),
      )
      .execute()
  }
}

/** The sellers of a platform by their ids there; unknown ones are left out. */
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

/** Gives sellers without a category history one from the categories of the listings that a user's searches have stored. */
export const deriveHistories = async (
  db: Db,
  userId: string,
  rows: ReadonlyMap<string, SellerRow>,
  now: Date,
): Promise<void> => {
  const without = [...rows.values()].filter(({ category_history_json }) => historyOf(category_history_json) === null)
  const counts = await categoryCounts(
    db,
    userId,
    without.map(({ platform_seller_id }) => platform_seller_id),
  )
  const bySeller = Map.groupBy(counts, ({ seller_platform_id }) => seller_platform_id)
  const derived = without.flatMap((row) => {
    const history = historyFrom(
      (bySeller.get(row.platform_seller_id) ?? []).map(
        ({ category_name, count }) => [category_name ?? '', Number(count)] as const,
      ),
    )
    return history === null ? [] : [{ ...sellerOf(row, now), categoryHistory: history }]
  })
  await upsertSellers(db, derived, now)
}
