import type { ApiUsage, SearchRequest, SellerFacts } from '../marketplace/adapter.ts'
import type { FieldCount } from '../marketplace/page-fields.ts'
import type { CategoryHistory, FoundListings, Sale } from '../records.ts'
import type { PartFailure } from './failure.ts'

/** The marketplace that a run accesses, and the adapter. The demo needs no pauses between requests. */
export type Marketplace = {
  readonly adapter: 'api' | 'scraper'
  readonly baseUrl: string
  readonly isDemo: boolean
}

/** What to look up about a seller, and from which of their listings. */
export type SellerTask = {
  readonly sellerId: string
  readonly listingId: string | null
  readonly wantsFacts: boolean
  readonly wantsCategories: boolean
}

/** Input of a run. */
export type WorkerInput =
  | {
      readonly kind: 'search'
      readonly marketplace: Marketplace
      readonly requests: readonly SearchRequest[]
      readonly salesQuery: string | null
    }
  | {
      readonly kind: 'enrich'
      readonly marketplace: Marketplace
      /** The API, which is queried for facts before pages are; null or missing without credentials. */
      readonly api?: Marketplace | null
      readonly tasks: readonly SellerTask[]
    }

/** Outputs of a run. Sales that could not be looked up are empty, with the reason. `found` may come in parts. */
export type WorkerOutput =
  | ({ readonly kind: 'found'; readonly toCome: number } & FoundListings)
  | ({ readonly kind: 'sales'; readonly query: string; readonly sales: readonly Sale[] } & PartFailure)
  | ({ readonly kind: 'api' } & ApiUsage)
  | { readonly kind: 'pages'; readonly fields: readonly FieldCount[] }
  | ({
      readonly kind: 'seller'
      readonly sellerId: string
      /** The listing whose page has the facts. */
      readonly listingId: string | null
      readonly facts: SellerFacts | null
      readonly categories: CategoryHistory | null
    } & PartFailure)

export const encodeMessage = (message: WorkerInput | WorkerOutput): Uint8Array => Buffer.from(JSON.stringify(message))

const decode = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
export const decodeInput = (bytes: Uint8Array): WorkerInput => decode(bytes) as WorkerInput
export const decodeOutput = (bytes: Uint8Array): WorkerOutput => decode(bytes) as WorkerOutput
