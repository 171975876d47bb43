import { randomUUID } from 'node:crypto'
import { invalidField, isServiceError, serviceError } from '@trellis/kit/errors'
import type { Call } from '@trellis/kit/rpc'
import type { EnrichRequest, EnrichResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { findListing, type ListingRow } from '../found/store.ts'
import { unknownListing } from '../found/unknown-listing.ts'
import { rescoreListing } from '../results/rescore-listing.ts'
import { sellerMessage, trustScoreMessage } from '../results/wire.ts'
import { sellerSources } from '../runs/marketplace.ts'
import { startRun } from '../runs/marketplace-run.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { findSellers, type SellerRow } from '../sellers/store.ts'
import { requireSession } from '../session/access.ts'
import { errorOfPart } from '../worker/failure.ts'
import { learnSeller } from './learn.ts'
import { pageIdOf, questionsOf } from './tasks.ts'

/** Timeout for looking up a seller, in seconds. */
const waitSeconds = 60

const lookUp = async (dependencies: Dependencies, seller: SellerRow, listingId: string, call: Call): Promise<void> => {
  const sources = await sellerSources(dependencies)
  const { missing, stale } = questionsOf(seller, dependencies.now())
  const [needsFacts, needsCategories] = [missing.facts || stale.facts, missing.categories || stale.categories]
  if (sources === undefined || (!needsFacts && !needsCategories)) return
  const task = {
    sellerId: seller.platform_seller_id,
    listingId: pageIdOf(listingId),
    wantsFacts: needsFacts,
    wantsCategories: needsCategories,
  }
  const outputs = await startRun(
    { ...dependencies, workloads: dependencies.localWorkloads },
    {
      runId: randomUUID(),
      input: { kind: 'enrich', ...sources, tasks: [task] },
      user: call.caller.userId,
      deadlineSeconds: waitSeconds,
      signal: AbortSignal.any([call.signal, dependencies.signal]),
    },
  )
  let failed: Error | undefined
  // Read to the end: the last outputs describe the pages that were read, whether or not they were understood.
  for await (const output of outputs) {
    if (output.kind !== 'seller') continue
    const learned = await learnSeller(dependencies, output)
    if (isServiceError(learned)) failed = learned
    else if (output.facts === null && output.categories === null) failed = errorOfPart(output) ?? failed
  }
  if (failed !== undefined) throw failed
}

/** Requires the listing to be the seller's own: facts on another seller's listing would be stored for all users. */
const requireOwn = ({ seller_platform_id: actual, platform_listing_id: id }: ListingRow, seller: string): void => {
  if (actual === seller) return
  const whose = actual === '' ? 'belongs to no known seller' : `belongs to the seller "${actual}"`
  throw invalidField(['query', 'seller'], `The listing "${id}" ${whose}: name the seller of the listing.`)
}

/** Looks up missing and stale data of a seller, rescores the listing and saves the score. */
export const enrich = async (
  dependencies: Dependencies,
  request: EnrichRequest,
  call: Call,
): Promise<EnrichResponse> => {
  const { db, config, now } = dependencies
  const userId = requireSession(call.caller, 'look a seller up')
  const seller = (await findSellers(db, config.platform, [request.seller])).get(request.seller)
  if (seller === undefined)
    throw serviceError('not_found', `No search has found the seller "${request.seller}" so far.`)
  const before = await findListing(db, userId, config.platform, request.listingId)
  if (before !== undefined) {
    requireOwn(before, request.seller)
    await lookUp(dependencies, seller, request.listingId, call)
  }
  const row = await findListing(db, userId, config.platform, request.listingId)
  if (row === undefined) throw unknownListing(request.listingId, call.caller)
  const sellers = await sellersForUser(dependencies, userId, [row.seller_platform_id, request.seller])
  const query = request.query.trim()
  // Without a query, the price of the listing's own title is the closest.
  const queries = (lastQuery: string) => (query === '' ? [row.title, lastQuery] : [query])
  const score = await rescoreListing(dependencies, row, { sellers, queries })
  const known = sellers.get(request.seller)
  return {
    trustScore: score === undefined ? null : trustScoreMessage(score),
    seller: known === undefined ? null : sellerMessage(known, now()),
  }
}
