import type {
  EnrichResponseRest,
  GetCompsResponseRest,
  ListingRest,
  ListingsSearchResponseRest,
  TrustScoreRest,
} from '@trellis/protos/edge/rest.ts'
import { z } from 'zod'
import type { Client } from '../client.ts'
import { trustOf } from '../trust.ts'

/** A tool for a language model. Its answer is JSON. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean
  readonly run: (client: Client, input: Record<string, unknown>) => Promise<unknown>
}

const maxResults = 50

/** A listing in a few fields: a model reads dozens at once. */
const condensed = (listing: ListingRest, score: TrustScoreRest | undefined, market: number | null) => ({
  listing_id: listing.platform_listing_id,
  title: listing.title,
  price: listing.price,
  currency: listing.currency,
  price_to_market: listing.price !== null && market ? Math.round((listing.price / market) * 100) / 100 : null,
  condition: listing.condition,
  format: listing.buying_format,
  ends_at: listing.ends_at,
  seller_id: listing.seller_platform_id,
  trust: score?.composite_score ?? null,
  trust_range: score?.score_is_partial ? score.score_range : null,
  flags: [...(score?.hard_filters ?? []), ...(score?.soft_flags ?? [])],
  url: listing.url,
})

const search = z.object({
  query: z.string().min(1).max(500).describe('What to search for.'),
  must_include: z
    .string()
    .max(4_000)
    .optional()
    .describe(
      'Terms that titles must contain, comma-separated; in the mode groups, alternatives are separated by "|".',
    ),
  must_include_mode: z.enum(['all', 'any', 'groups']).optional(),
  must_exclude: z.string().max(4_000).optional().describe('Terms that titles must not contain, comma-separated.'),
  min_price: z.number().nonnegative().optional(),
  max_price: z.number().nonnegative().optional(),
  pages: z.int().min(1).max(20).optional().describe('Pages of results to read; default 1.'),
  category_id: z.string().max(40).optional(),
  limit: z
    .int()
    .min(1)
    .max(maxResults)
    .optional()
    .describe('How many listings to return, the most trusted first; default 20.'),
})

const enrich = z.object({
  seller_id: z.string().min(1).max(200),
  listing_id: z.string().min(1).max(100).describe('A listing of this seller that a search has found.'),
  query: z.string().max(500).optional().describe('Query for the price comparison; default: the title of the listing.'),
})

const comps = z.object({ query: z.string().min(1).max(500) })

const save = z.object({
  name: z.string().min(1).max(200),
  query: z.string().min(1).max(500),
  filters: z.record(z.string(), z.unknown()).optional().describe('The other parameters of the search.'),
})

const searchMarketplace: Tool = {
  name: 'search_listings',
  title: 'Search the marketplace',
  description:
    'Searches the marketplace and returns listings with a trust score from 0 to 100, flags, and their price relative to the median of completed sales. A trust_range means that some signals of the score are still unknown.',
  input: search,
  isReadOnly: true,
  run: async (client, input) => {
    const { query, limit = 20, ...parameters } = search.parse(input)
    const answer = await client.call<ListingsSearchResponseRest>('/listings/api/search', {
      query: { q: query, ...parameters },
    })
    const { listings, trust_scores: scores, market_price: market } = answer
    const scoreOf = ({ platform_listing_id: id }: ListingRest) => scores[id]
    return {
      found: listings.length,
      market_price: market,
      listings: listings
        .toSorted((a, b) => trustOf(scoreOf(b)) - trustOf(scoreOf(a)))
        .slice(0, limit)
        .map((listing) => condensed(listing, scoreOf(listing), market)),
    }
  },
}

const lookUpSeller: Tool = {
  name: 'look_up_seller',
  title: 'Look up a seller',
  description:
    'Reads what is still unknown about the seller of a listing, such as the age of the account, and returns the new trust score with the evidence for each signal.',
  input: enrich,
  isReadOnly: true,
  run: (client, input) => {
    const { seller_id, listing_id, query } = enrich.parse(input)
    return client.call<EnrichResponseRest>('/listings/api/enrich', {
      method: 'POST',
      query: { seller: seller_id, listing_id, query },
    })
  },
}

const lookUpPrice: Tool = {
  name: 'market_price',
  title: 'Look up a market price',
  description:
    'Returns the median price of completed sales for a query, with quartiles and the number of sales behind it.',
  input: comps,
  isReadOnly: true,
  run: (client, input) =>
    client.call<GetCompsResponseRest>('/listings/api/comps', { query: { q: comps.parse(input).query } }),
}

const saveSearch: Tool = {
  name: 'save_search',
  title: 'Save a search',
  description: 'Saves a search under a name, so that the user finds it again and can have it run on a schedule.',
  input: save,
  isReadOnly: false,
  run: (client, input) => {
    const { name, query, filters = {} } = save.parse(input)
    return client.call('/listings/api/saved-searches', {
      method: 'POST',
      body: { name, query, filters_json: JSON.stringify(filters) },
    })
  },
}

export const tools: readonly Tool[] = [searchMarketplace, lookUpSeller, lookUpPrice, saveSearch]
