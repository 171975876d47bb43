import type { WorkerOutput } from '../search/worker/messages.ts'
import { findSellers, type SellerRow, upsertSellers } from '../sellers/store.ts'
import type { World } from '../world.ts'

type Learned = Extract<WorkerOutput, { kind: 'seller' }>

/** Writes down what was learned of a seller; the seller as known now, or undefined when nothing was learned or nobody is known by that id. */
export const learnSeller = async (
  { db, config, now, log }: World,
  learned: Learned,
): Promise<SellerRow | undefined> => {
  const { sellerId, facts, categories, failure } = learned
  if (failure !== null) log.warn({ failure }, 'a seller could not be looked up in full')
  if (facts === null && categories === null) return undefined
  const known = (await findSellers(db, config.platform, [sellerId])).get(sellerId)
  if (known === undefined) return undefined
  await upsertSellers(
    db,
    [
      {
        platform: known.platform,
        platformSellerId: known.platform_seller_id,
        username: known.username,
        accountAgeDays: facts?.accountAgeDays ?? null,
        feedbackCount: facts?.feedbackCount ?? null,
        feedbackRatio: facts?.feedbackRatio ?? null,
        categoryHistory: categories,
      },
    ],
    now(),
  )
  return (await findSellers(db, config.platform, [sellerId])).get(sellerId)
}
