import type { Dependencies } from '../dependencies.ts'
import { categoryCounts } from '../found/store.ts'
import { historyFrom } from '../marketplace/categories.ts'
import { findSellers, historyOf, type SellerRow } from './store.ts'

/**
 * Sellers as one user sees them. If the marketplace has shown no category history, it is derived from the categories of the
 * listings that this user's searches have found. It is derived each time and never stored, since the record of a seller is
 * shared by all users, but what they search for is private.
 */
export const sellersForUser = async (
  { db, config, now }: Pick<Dependencies, 'db' | 'config' | 'now'>,
  userId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SellerRow>> => {
  const sellers = await findSellers(db, config.platform, ids)
  const without = [...sellers.values()].filter((row) => historyOf(row) === null)
  const counts = await categoryCounts(
    db,
    userId,
    without.map(({ platform_seller_id }) => platform_seller_id),
  )
  const bySeller = Map.groupBy(counts, ({ seller_platform_id }) => seller_platform_id)
  const derived = without.flatMap((row) => {
    const own = bySeller.get(row.platform_seller_id) ?? []
    const history = historyFrom(own.map(({ category_name, count }) => [category_name ?? '', Number(count)] as const))
    if (history === null) return []
    const columns = {
      category_history_json: JSON.stringify(history),
      history_source: 'own searches',
      history_read_at: now().toISOString(),
    } as const
    return [[row.platform_seller_id, { ...row, ...columns }] as const]
  })
  return new Map([...sellers, ...derived])
}
