/** Tables with rows of listings, by `listing_id`: their rows are deleted with the listing. */
export const listingTables = ['listing_prices', 'listing_sightings', 'trust_scores', 'photo_hashes'] as const
