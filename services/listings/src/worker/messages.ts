import type { SearchRequest, SellerFacts } from '../marketplace/adapter.ts'
import type { CategoryHistory, FoundListings, Sale } from '../records.ts'

/** Which marketplace a run goes to, and which way. The demo has no use for pauses between requests. */
export type Marketplace = {
  readonly adapter: 'api' | 'scraper'
  readonly baseUrl: string
  readonly isDemo: boolean
}

/** What to learn of a seller, and from which listing of theirs. */
export type SellerTask = {
  readonly sellerId: string
  readonly listingId: string | null
  readonly wantsFacts: boolean
  readonly wantsCategories: boolean
}

/** What a run is given to do. */
export type WorkerInput =
  | {
      readonly kind: 'search'
      readonly marketplace: Marketplace
      readonly requests: readonly SearchRequest[]
      readonly salesQuery: string | null
    }
  | { readonly kind: 'enrich'; readonly marketplace: Marketplace; readonly tasks: readonly SellerTask[] }

/** What a run hands over as it goes. Sales that could not be looked up are none, with the reason. What was found may come in parts. */
export type WorkerOutput =
  | ({ readonly kind: 'found'; readonly toCome: number } & FoundListings)
  | { readonly kind: 'sales'; readonly query: string; readonly sales: readonly Sale[]; readonly failure: string | null }
  | {
      readonly kind: 'seller'
      readonly sellerId: string
      /** The listing whose page the facts are of. */
      readonly listingId: string | null
      readonly facts: SellerFacts | null
      readonly categories: CategoryHistory | null
      readonly failure: string | null
    }

export const encodeMessage = (message: WorkerInput | WorkerOutput): Uint8Array => Buffer.from(JSON.stringify(message))

const decode = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
export const decodeInput = (bytes: Uint8Array): WorkerInput => decode(bytes) as WorkerInput
export const decodeOutput = (bytes: Uint8Array): WorkerOutput => decode(bytes) as WorkerOutput
