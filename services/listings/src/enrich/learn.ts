import { serviceError } from '@trellis/kit/errors'
import type { Dependencies } from '../dependencies.ts'
import type { SellerFacts } from '../marketplace/adapter.ts'
import { findSellers, recordFacts, recordHistory, type SellerRow } from '../sellers/store.ts'
import type { WorkerOutput } from '../worker/messages.ts'

type Learned = Extract<WorkerOutput, { kind: 'seller' }>

const isSame = (name: string, other: string): boolean => name.trim().toLowerCase() === other.trim().toLowerCase()

/** Whether a page shows a listing of this seller. A page that names no seller matches none. */
const isPageOf = ({ platform_seller_id, username }: SellerRow, { sellerNames }: Partial<SellerFacts>): boolean =>
  // Workers of older versions send no names.
  (sellerNames ?? []).some((name) => isSame(name, platform_seller_id) || isSame(name, username))

const otherSeller = (shown: string | undefined, listingId: string, sellerId: string) =>
  serviceError(
    'conflict',
    shown === undefined
      ? `The page of the listing "${listingId}" does not name its seller, so none of its facts were stored for "${sellerId}".`
      : `The listing "${listingId}" is sold by "${shown}" now, not by "${sellerId}": search again.`,
  )

/**
 * Stores what was learned of a seller. If the listing's page names another seller, none of its facts are stored and a
 * conflict is returned. Returns false if there was nothing to store.
 */
export const learnSeller = async (
  { db, config, now, log }: Dependencies,
  { sellerId, listingId, facts, categories, failure: failed }: Learned,
): Promise<boolean | ReturnType<typeof otherSeller>> => {
  if (failed !== null) log.warn({ failure: failed }, 'enrich: seller lookup incomplete')
  const known = (await findSellers(db, config.platform, [sellerId])).get(sellerId)
  if (known === undefined || (facts === null && categories === null)) return false
  if (categories !== null) await recordHistory(db, known, categories, now())
  if (facts === null || !listingId) return categories !== null
  if (!isPageOf(known, facts)) {
    log.warn({ listingId, shown: facts.sellerNames }, 'enrich: listing page names another seller')
    return otherSeller(facts.sellerNames?.[0], listingId, sellerId)
  }
  await recordFacts(db, known, facts, { listingId, now: now() })
  return true
}
