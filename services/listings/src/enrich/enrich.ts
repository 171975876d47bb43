import { randomUUID } from 'node:crypto'
import { invalidField, isServiceError, serviceError } from '@trellis/kit/errors'
import type { Call } from '@trellis/kit/rpc'
import type { EnrichRequest, EnrichResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { findComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { findListing, type ListingRow } from '../found/store.ts'
import { batchFrom, scoreRows } from '../results/scored.ts'
import { sellerMessage, trustScoreMessage } from '../results/wire.ts'
import { siteFor } from '../runs/marketplace.ts'
import { startRun } from '../runs/marketplace-run.ts'
import { contextOf, findScore, type StoredContext } from '../scoring/store.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { findSellers, type SellerRow } from '../sellers/store.ts'
import { requireSession } from '../session/access.ts'
import { learnSeller } from './learn.ts'
import { pageIdOf, questionsOf } from './tasks.ts'

/** A seller is waited for no longer than this, in seconds. */
const waitSeconds = 60

const lookUp = async (dependencies: Dependencies, seller: SellerRow, listingId: string, call: Call): Promise<void> => {
  const site = await siteFor(dependencies)
  const { missing, stale } = questionsOf(seller, dependencies.now())
  const [wantsFacts, wantsCategories] = [missing.facts || stale.facts, missing.categories || stale.categories]
  if (site === undefined || (!wantsFacts && !wantsCategories)) return
  const task = { sellerId: seller.platform_seller_id, listingId: pageIdOf(listingId), wantsFacts, wantsCategories }
  const outputs = await startRun(
    { ...dependencies, workloads: dependencies.localWorkloads },
    {
      runId: randomUUID(),
      input: { kind: 'enrich', marketplace: site, tasks: [task] },
      user: call.caller.userId,
      deadlineSeconds: waitSeconds,
      signal: AbortSignal.any([call.signal, dependencies.signal]),
    },
  )
  for await (const output of outputs) {
    if (output.kind !== 'seller') continue
    if (output.facts === null && output.categories === null && output.failure !== null)
      throw serviceError('upstream_failed', output.failure)
    const learned = await learnSeller(dependencies, output)
    if (isServiceError(learned)) throw learned
  }
}

/**
 * Scores a listing again: by the comp of the query given, else of its title, else of its last search, whichever is cached.
 * Without one it is compared with the market price of its last score. The batch of its last search is retained.
 */
const rescore = async (
  dependencies: Dependencies,
  row: ListingRow,
  sellers: ReadonlyMap<string, SellerRow>,
  query: string,
) => {
  const { db, config, now } = dependencies
  const before = await findScore(db, row.id)
  const context: StoredContext =
    before === undefined ? { priceVariation: null, hasDuplicatePhoto: false, compQuery: row.title } : contextOf(before)
  const candidates = query.trim() === '' ? [row.title, context.compQuery] : [query.trim()]
  let comp: Awaited<ReturnType<typeof findComp>>
  for (const candidate of candidates) comp ??= await findComp(db, config.platform, candidate, now())
  const scores = await scoreRows(dependencies, [row], sellers, {
    batch: batchFrom(row, context),
    comp,
    earlierMarket: context.market,
    compQuery: query.trim() || context.compQuery,
  })
  return scores.get(row.platform_listing_id)
}

/** A seller is looked up from a listing of their own: the facts of another's would be stored for all users. */
const requireOwn = ({ seller_platform_id: actual, platform_listing_id: id }: ListingRow, seller: string): void => {
  if (actual === seller) return
  const whose = actual === '' ? 'of no known seller' : `of the seller "${actual}"`
  throw invalidField(['query', 'seller'], `The listing "${id}" is ${whose}: name the seller of the listing.`)
}

/** Looks up what is missing of a seller, scores the listing again and saves the score. */
export const enrich = async (
  dependencies: Dependencies,
  request: EnrichRequest,
  call: Call,
): Promise<EnrichResponse> => {
  const { db, config, now } = dependencies
  const userId = requireSession(call.caller, 'look a seller up')
  const seller = (await findSellers(db, config.platform, [request.seller])).get(request.seller)
  if (seller === undefined)
    throw serviceError('not_found', `There is no seller "${request.seller}" in what has been found so far.`)
  const before = await findListing(db, userId, config.platform, request.listingId)
  if (before !== undefined) {
    requireOwn(before, request.seller)
    await lookUp(dependencies, seller, request.listingId, call)
  }
  const row = await findListing(db, userId, config.platform, request.listingId)
  if (row === undefined)
    throw serviceError('not_found', `There is no listing "${request.listingId}" in what you have found so far.`)
  const sellers = await sellersForUser(dependencies, userId, [row.seller_platform_id, request.seller])
  const score = await rescore(dependencies, row, sellers, request.query)
  const known = sellers.get(request.seller)
  return {
    trustScore: score === undefined ? null : trustScoreMessage(score),
    seller: known === undefined ? null : sellerMessage(known, now()),
  }
}
