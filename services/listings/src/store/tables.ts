import type { Generated, Kysely } from 'kysely'

/** Rows of the listings service. Times are ISO 8601 UTC text; amounts in major units of their currency. */
export type Tables = {
  /** Listings that a user's searches have found: each user sees only their own sightings. */
  listings: {
    id: Generated<number>
    user_id: string
    platform: string
    platform_listing_id: string
    title: string
    price: number | null
    price_high: number | null
    currency: string
    condition: string
    seller_platform_id: string
    url: string
    photo_urls_json: string
    listing_age_days: number
    buying_format: string
    ends_at: string | null
    bid_count: number | null
    category_name: string | null
    fetched_at: string
    first_seen_at: string
    last_seen_at: string
    times_seen: number
    price_at_first_seen: number | null
  }
  /** One row for each change of a listing's price, including a return to an earlier price. */
  listing_prices: {
    id: Generated<number>
    listing_id: number
    price: number | null
    currency: string
    captured_at: string
  }
  /** One row for each search that saw a listing, however often that search was resumed. */
  listing_sightings: { id: Generated<number>; listing_id: number; seen_at: string; search_id: string | null }
  /** Shared by all users. */
  sellers: {
    id: Generated<number>
    platform: string
    platform_seller_id: string
    /** The marketplace's immutable id, which only its API shows. */
    platform_user_id: string | null
    username: string
    /** The first possible opening day of the account, which is the first of a month where its page shows only that. */
    account_opened_on: string | null
    /** The last possible opening day; null in rows from before it was stored. */
    account_opened_until: string | null
    /** The listing of this seller whose page showed it; null in rows from before that was checked. */
    account_listing_id: string | null
    account_read_at: string | null
    feedback_count: number | null
    feedback_ratio: number | null
    feedback_read_at: string | null
    category_history_json: string | null
    /** `own searches` is never stored: see `sellers/for-user.ts`. A history without a source is not used. */
    history_source: 'marketplace' | 'own searches' | null
    history_read_at: string | null
    /** When any of these values was last read. */
    fetched_at: string
    /** The search that is looking the seller up; null if none is. */
    lookup_id: string | null
    /** Until when it does so at most, or when the last lookup ended; null before the first. */
    lookup_until: string | null
  }
  /** Shared by all users; `quartiles_json` is [q1, q3]. Without a median too few sales were found. */
  comps: {
    platform: string
    query_hash: string
    query: string
    median_price: number | null
    quartiles_json: string | null
    currency: string | null
    /** Interval, confidence, strata and excluded sales. */
    details_json: string
    sample_count: number
    fetched_at: string
    expires_at: string
  }
  trust_scores: {
    id: Generated<number>
    listing_id: number
    score_json: string
    composite_score: number
    /** A listing's share of its search's batch, so that it can be rescored alone. */
    context_json: string
    photo_analysis_json: string | null
    scored_at: string
  }
  /** Perceptual hashes of the first photos of listings. */
  photo_hashes: {
    id: Generated<number>
    /** Owner of the listing: photos are compared with those that the same user has seen. */
    user_id: string
    listing_id: number
    photo_url: string
    /** 16 hex digits; null if the photo has no features, or a format that cannot be compared. */
    phash: string | null
    /** Parts of the hash, by which it is indexed. */
    band_0: number | null
    band_1: number | null
    band_2: number | null
    first_seen_at: string
    /** Another seller's listing with nearly the same photo. */
    duplicate_listing_id: number | null
  }
  /** Searches whose updates may still be followed. */
  search_sessions: {
    id: string
    user_id: string
    created_at: string
    deadline_at: string
    ended_at: string | null
    /** The requested search: enough to drive it from any replica. Null for a search that never ran. */
    order_json: string | null
    /** Whose limit of searches it counts towards: a user, or the network address of a visitor or guest. */
    counted_for: string
    /** Why it failed, as JSON; null for a search that succeeded or has not ended. */
    failure_json: string | null
  }
}

export type Db = Kysely<Tables>
