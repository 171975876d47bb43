import { listings, type Theme, theme } from '../../promised.ts'

const service = listings('service')
const score = listings('scoring/score')
const main = 'test/main-jobs/listings.test.ts'

/** Promises about the resources, their fields and their states. */
export const resources: readonly Theme[] = [
  theme(
    'Listings',
    [
      'One marketplace is searched on request; listings, a score for each, sellers and a market price are returned',
      [main, 'a search returns listings with scores, sellers and a market price, marked as the demo'],
    ],
    [
      '`platform_listing_id` is the de-duplication key',
      [listings('worker/work'), 'the results of several queries are merged: each listing once, as first found'],
    ],
    [
      '`id` is present once the listing is stored',
      [service, 'a search returns listings, scores, sellers and the market price, marked as a demo'],
      [service, 'a locked database after the search costs the scores but not the listings'],
    ],
    [
      '`title` lacks the hidden phrase about a new window',
      [listings('marketplace/demo/demo'), 'is read completely, without the placeholders and the carousel'],
      [listings('marketplace/search-page'), 'cards in other languages'],
    ],
    [
      '`url` is wrapped for the affiliate campaign in search responses',
      [
        listings('affiliate/affiliate'),
        'campaign parameters replace existing ones, and other parameters are preserved',
      ],
      [listings('preferences/preferences'), 'decide on the campaign in links'],
    ],
    [
      '`photo_urls` lists the photos',
      [listings('marketplace/api/api-adapter'), 'an item is mapped to a listing and a seller'],
    ],
    [
      '`times_seen`, `first_seen_at`: searches that saw it, and the first of them',
      [service, 'sightings, finds and streams are separate for each user'],
    ],
    [
      '`price_at_first_seen` stays',
      [score, 'a price of %s that was first seen at %s'],
      [service, 'every price change is stored, including a return to an earlier price'],
    ],
    [
      '`category_name` is filled by the API and null from pages',
      [listings('marketplace/api/api-adapter'), 'an item is mapped to a listing and a seller'],
    ],
    [
      'The listing has its format, price and photos, whose number is the length of `photo_urls`',
      [listings('marketplace/api/api-adapter'), 'an item is mapped to a listing and a seller'],
      [listings('marketplace/demo/demo'), 'has auctions with bids and an end, price ranges and offers'],
      [listings('marketplace/api/api-adapter'), 'a pure auction is priced at its current bid'],
    ],
  ),
  theme(
    'Trust scores',
    [
      'The composite is 0 to 100, from five signals, whose values are in `signal_scores`',
      [score, 'a seasoned seller at the market price earns all points and no flag'],
      [score, 'an account %s days old earns %s'],
      [score, '%s feedbacks earn %s'],
      [score, 'a ratio of %s over %s feedbacks earns %s'],
      [score, 'a price of %s against a market price of 100 earns %s'],
      [score, 'a category history of %j earns %s'],
    ],
    [
      'Hard filters `new_account` and `established_bad_actor`',
      [score, "['an account of 6 days', { seller: { accountOpened: openedDaysAgo(6) } }, ['new_account'"],
      [score, "['79 % of 21 feedbacks'"],
    ],
    ['Soft flag `low_feedback`', [score, "['9 feedbacks'"]],
    ['Soft flag `suspicious_price`', [score, "['less than half the market price'"]],
    [
      'Soft flag `duplicate_photo`',
      [score, 'a photo that another listing also has is flagged, except for retailers'],
      [listings('photo-analysis/photo-analysis'), 'flags the demo listings whose photos were copied'],
    ],
    ['Soft flag `long_on_market`', [score, 'seen %s times over %s days']],
    ['Soft flag `significant_price_drop`', [score, 'a price of %s that was first seen at %s']],
    [
      'Soft flag `scratch_dent`, from damage wording, evasive redirects, functional problems and repairs in titles',
      [score, "['damage in the title'"],
      [listings('scoring/damage'), 'a denial applies over a bounded distance'],
    ],
    [
      '`score_is_partial` while account age or categories are pending',
      [score, 'missing signals are excluded from the composite and widen its range'],
    ],
    [
      '`photo_analysis_json` is written later, and preserved when scores are saved again',
      [
        listings('scoring/store'),
        'are one for each listing, whose id stays, and saving one again preserves the photo analysis',
      ],
      [listings('photo-analysis/photo-analysis'), 'shows each photo to the model once, stores its JSON with the score'],
    ],
    [
      'A blocked seller has the score 0 and the bad-actor outcome',
      [score, 'a seller on the blocklist scores 0 regardless of the signals'],
      [listings('blocklist/blocklist'), 'score 0 with the reason, in searches and where they are read'],
    ],
    [
      '`suspicious_price` only for a price signal of exactly 0; a listing without market data is never flagged',
      [score, 'the price earns nothing and is not suspicious when %s'],
    ],
    [
      'The price signal is suppressed when prices vary too much',
      [score, 'the prices of the batch vary too much'],
      [score, 'a variation of exactly 0.6 still allows the comparison'],
      [score, 'the variation is the population standard deviation over the mean, and null below two prices'],
    ],
  ),
  theme(
    'Sellers and market comps',
    [
      '`account_age_days` is null when unknown',
      [listings('enrich/enrich'), "facts on another seller's listing are not stored"],
    ],
    [
      'A `feedback_count` of 0 needs enrichment',
      [listings('enrich/tasks'), 'facts and categories are requested separately, and only where missing'],
    ],
    [
      '`category_history_json`: empty or null is no history',
      [score, 'a category history of %j earns %s'],
      [listings('sellers/store'), "has no category history from a user's finds, which only that user sees"],
    ],
    [
      'A comp is keyed by the MD5 of its query, and cached for six hours',
      [listings('comps/comps'), 'a comp is keyed by the MD5 of the exact query and expires after six hours'],
      [service, 'sales are looked up once per query'],
    ],
    [
      'With an even number of prices the median is the mean of the two middle ones',
      [listings('comps/comps'), 'an even number the mean of the two middle ones'],
    ],
  ),
  theme(
    'Rows of users',
    [
      'A saved search has id, name, query, platform, filters and the time of its last run',
      [
        listings('saved-searches/saved-searches'),
        'are created on the configured platform, listed newest first and deleted',
      ],
      [listings('saved-searches/saved-searches'), 'record when they were run; an unknown one is 404'],
    ],
    [
      'The blocklist is shared; a seller is in it once',
      [listings('blocklist/blocklist'), 'has the sellers that signed-in users add, latest first, for everyone'],
      [listings('blocklist/blocklist'), 'has a seller once: a new name replaces the old one'],
    ],
    [
      'An entry has its platform, `marketplace` by default, the id and name of the seller, a reason or null, its source and time',
      [listings('blocklist/blocklist'), 'has the sellers that signed-in users add, latest first, for everyone'],
    ],
    [
      'Sources `manual` and `csv_import`',
      [listings('blocklist/blocklist'), 'is imported from CSV: good rows are imported, bad ones reported'],
    ],
    [
      'Reported sellers are unique for each user, `reported_by` `bulk_action`',
      [listings('reported/reported'), 'are remembered per user, once each, latest first'],
    ],
    [
      'Preferences are nested, by paths with dots',
      [
        listings('preferences/preferences'),
        'are nested by the parts of their paths, set one by one, and cleared with null',
      ],
      [listings('preferences/preferences'), 'belong to one user, or to one guest'],
    ],
    [
      'Session features: nine keys, with `saved_searches_limit` null for unlimited',
      [listings('session/features'), 'the features of a tier have nine keys'],
      [listings('session/features'), 'the free tier saves three searches and has no extras, all other tiers have them'],
    ],
    [
      'Background tasks `trust_photo_analysis`: the job is the listing, with photo, title and owner',
      [
        listings('photo-analysis/tasks'),
        'are started in the order in which they were queued, with the parameters of the spec',
      ],
    ],
    [
      'A duplicate task is not queued again',
      [listings('photo-analysis/tasks'), 'that are queued or running are not queued again, those that ended are'],
      [listings('photo-analysis/tasks'), 'are queued once by searches of several replicas'],
    ],
    [
      'The query builder returns exactly its nine fields',
      [listings('query-builder/parse-answer'), 'becomes exactly nine fields'],
    ],
  ),
  theme(
    'States of searches and scores',
    [
      'A search with a query gets a session, and enrichment starts',
      [main, 'sellers are enriched afterwards: the stream delivers updates with account ages, then done'],
    ],
    [
      'An asynchronous search answers 202 `queued` before anything is requested; `listings` is the first event',
      [main, 'an asynchronous search answers 202 and streams listings first; a resumed stream repeats nothing'],
    ],
    [
      'Enrichment or nothing to enrich ends the stream with `done`',
      [service, 'an asynchronous search publishes listings first, then the price, then updates'],
    ],
    [
      'At its deadline (90 s, 150 s) the stream sends `done` with the reason `timeout`',
      [listings('search/search'), 'have 90 s if a call waits for the answer, and 150 s if their updates are followed'],
      [listings('search/drive'), 'a followed search whose run is refused retries until its deadline'],
    ],
    [
      'A client that disconnects closes its stream',
      ['test/contract/edge.test.ts', 'the rpc ends promptly when the client leaves its stream'],
      [listings('search/search-lifetime'), 'a search stops 30 s after its last follower leaves'],
    ],
    [
      'An ended stream is removed, once it is not retained any more',
      [service, 'the stream of an ended search ends after its last event, and is a 404 without its updates'],
    ],
    [
      'A write lock after an asynchronous search returns raw listings, and ends the stream',
      [
        service,
        'a locked database after an asynchronous search costs the scores but not the listings, and ends its stream',
      ],
    ],
    [
      'Completed enrichment rescores, saves, and publishes an `update` with score, seller and market price',
      [service, 'a search returns listings, scores, sellers and the market price, marked as a demo'],
      [service, 'enrichment looks a seller up, rescores the listing and saves the score'],
    ],
  ),
]
