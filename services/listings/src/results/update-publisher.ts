import type { ServiceError } from '@trellis/kit/errors'
import { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { StoredComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ListingRow } from '../found/store.ts'
import type { TrustScoreRow } from '../scoring/store.ts'
import type { SellerRow } from '../sellers/store.ts'
import { publishWhole } from './parts.ts'
import type { PublishedUpdates } from './published-updates.ts'
import { type Frame, updatesOf } from './updates.ts'
import { type Answer, sellerMessage, trustScoreMessage } from './wire.ts'

/** Publishes a search's updates to its followers, as frames of its stream, each only once. */
export type UpdatePublisher = {
  readonly listings: (answer: Answer) => Promise<void>
  readonly price: (comp: StoredComp | undefined) => Promise<void>
  readonly score: (
    row: ListingRow,
    score: TrustScoreRow,
    seller: SellerRow | undefined,
    comp: StoredComp | undefined,
  ) => Promise<void>
  readonly failed: (failure: ServiceError) => Promise<void>
  readonly done: (reason: 'timeout' | null) => Promise<void>
}

export const createUpdatePublisher = (
  { bus, now }: Dependencies,
  sessionId: string,
  published: PublishedUpdates,
): UpdatePublisher => {
  const publish = async (event: Frame): Promise<void> => {
    if (!published.isUnpublished(event)) return
    await publishWhole(bus, updatesOf(sessionId), UpdateFrame.encode({ eventId: '', event }).finish())
    published.add(event)
  }
  return {
    listings: (answer) => publish({ $case: 'listings', value: { type: 'listings', ...answer, sessionId } }),
    price: (comp) =>
      publish({
        $case: 'marketPrice',
        value: {
          type: 'market_price',
          marketPrice: comp?.medianPrice ?? null,
          sampleCount: comp?.sampleCount ?? 0,
          quartiles: comp?.quartiles ? JSON.stringify(comp.quartiles) : null,
          expiresAt: comp?.expiresAt ?? null,
        },
      }),
    score: (row, score, seller, comp) =>
      publish({
        $case: 'update',
        value: {
          type: 'update',
          platformListingId: row.platform_listing_id,
          trustScore: trustScoreMessage(score),
          seller: seller === undefined ? null : sellerMessage(seller, now()),
          marketPrice: comp?.medianPrice ?? null,
        },
      }),
    failed: ({ status, message }) =>
      publish({ $case: 'searchFailed', value: { type: 'search_failed', status, detail: message } }),
    done: (reason) => publish({ $case: 'done', value: { reason } }),
  }
}
