import { listings, type Theme, theme } from '../../promised.ts'

const service = listings('service')
const terms = listings('search-terms')
const saved = listings('saved-searches/saved-searches')
const blocklist = listings('blocklist/blocklist')
const main = 'test/main-jobs/listings.test.ts'
const headers = 'the health is open, the API document states version 0.1.0, and streams have the specified headers'

/** Promises about endpoints. */
export const endpoints: readonly Theme[] = [
  theme(
    'Health and session',
    ['`GET /api/health` returns 200 and `status`', [main, headers]],
    [
      '`GET /api/session` gives an anonymous visitor a guest cookie for a day: Lax, readable by the page, on the mount path',
      [service, 'a visitor becomes a guest only once'],
    ],
    [
      '`GET /api/session` returns `user_id`, `tier` and `features`',
      [service, 'a visitor becomes a guest only once'],
      [listings('session/features'), 'the features of a tier have nine keys'],
    ],
    ['The visitor is then `guest:<uuid>` in the tier free', [service, 'a visitor becomes a guest only once']],
    ['Otherwise no cookie is set', [service, 'a visitor becomes a guest only once']],
  ),
  theme(
    'Search',
    [
      'The response has listings, scores, sellers, market price, `adapter_used`, `affiliate_active` and a UUID as `session_id`',
      [service, 'a search returns listings, scores, sellers and the market price, marked as a demo'],
      [main, 'a search returns listings with scores, sellers and a market price, marked as the demo'],
    ],
    [
      '`max_price` and `min_price` of 0 or less are ignored',
      [listings('query/plan'), 'a plan has the effective limits, and the pages that the tier allows'],
    ],
    [
      '`pages` is clamped to what the tier allows',
      [listings('session/features'), '%s pages in the %s tier are %s'],
      ['test/contract/edge.test.ts', 'a field that its service clamps takes the number %s as %i'],
    ],
    ['`must_include` has terms by comma, in the modes `all`, `any`, `groups`', [terms, 'in %s mode "%s" on "%s": %s']],
    [
      '`must_exclude` is sent as negative terms and also applied to titles',
      [terms, 'excluded terms are sent to the marketplace and also applied here'],
      [main, 'no title contains an excluded term'],
    ],
    [
      '`category_id` restricts the search',
      [listings('marketplace/scraper/scraper'), 'every value of a search address is encoded'],
      [listings('marketplace/demo/demo'), 'prices, categories, exclusions and alternatives restrict a search'],
      [
        listings('marketplace/api/api-adapter'),
        'a search uses one token, sends the restrictions, and stops when no next page is named',
      ],
    ],
    [
      '`adapter=api` without credentials is a configuration error',
      [service, 'the API without credentials is a 503, even asynchronously'],
      [listings('query/plan'), 'requiring the API fails with %j'],
    ],
    [
      'A blank `q` returns empty results without a session',
      [main, 'a blank search is empty, an unknown session 404, the API without credentials 503'],
    ],
    [
      '`groups` expand into several queries, whose results are merged and de-duplicated',
      [terms, 'the first smallest group is split into queries, the others are added as alternatives'],
      [service, 'groups are searched as several queries and merged'],
      [listings('worker/work'), 'the results of several queries are merged: each listing once, as first found'],
    ],
    [
      'In `all` and `any` modes the terms are applied to titles only',
      [service, 'required and excluded terms are also applied to titles here'],
    ],
    [
      'The comp query is that of the mode, without exclusions',
      [terms, 'in %s mode with "%s" is "%s"'],
      [terms, 'has no exclusions: the price of a query does not depend on what a search hides'],
    ],
    [
      'Searches and the comp lookup run concurrently, the comp lookup first',
      [
        listings('worker/work'),
        'a search looks completed sales up first, and sends four queries at a time beside that',
      ],
    ],
    [
      'Listings are stored, histories derived from stored categories, and staged fields read again',
      [service, 'sightings, finds and streams are separate for each user'],
      [
        listings('sellers/store'),
        "has no category history from a user's finds, which only that user sees, always current",
      ],
    ],
    [
      'Sellers are looked up in the background, a limited number per search',
      [listings('enrich/tasks'), 'the first three sellers are looked up once each, in the order of the results'],
    ],
    [
      'Scores are saved; with `photo_analysis` a task is queued for each listing with photos',
      [
        listings('photo-analysis/photo-analysis'),
        'is done once for each photo: a repeated search queues nothing, and keeps the flags',
      ],
      [listings('photo-analysis/photo-analysis'), 'needs the feature: below the paid tier nothing is queued'],
    ],
    [
      'Links of guests have the campaign of the installation, those of users follow their preferences',
      [listings('preferences/preferences'), 'decide on the campaign in links: the own one, none after an opt-out'],
    ],
    [
      'A failure of the marketplace is 502',
      [service, 'a refusal is a 502 with Retry-After, and a searchFailed frame on a stream'],
    ],
    [
      '`affiliate_active` is true when the campaign is set and not blank',
      [listings('preferences/preferences'), 'decide on the campaign in links'],
      [service, 'a search returns listings, scores, sellers and the market price, marked as a demo'],
    ],
    [
      'A write lock after the search returns raw listings, with empty scores and sellers',
      [service, 'a locked database after the search costs the scores but not the listings'],
    ],
  ),
  theme(
    'Enrichment',
    [
      'An unknown seller or listing is 404',
      [service, 'enrichment looks a seller up, rescores the listing and saves the score'],
    ],
    [
      'With credentials the account age comes from the API first',
      [
        listings('api-use/api-use'),
        'a search finds listings and a market price, and looks sellers up, with their immutable ids',
      ],
    ],
    [
      'What is missing is read from pages, age and categories concurrently',
      [listings('enrich/tasks'), 'facts and categories are requested separately, and only where missing'],
      [listings('worker/work'), 'sellers are looked up two at a time, their page and their categories concurrently'],
    ],
    [
      'The listing is scored with the query, or its title without one',
      [listings('enrich/enrich'), 'a new score compares the price with that of the query, or of the title without one'],
    ],
    [
      'The response has the score and the seller',
      [main, 'enriching a seller returns its new score; an unknown seller is 404'],
    ],
  ),
  theme(
    'Update streams',
    ['An unknown session is 404', [main, 'a blank search is empty, an unknown session 404']],
    ['The specified headers and media type', [main, headers]],
  ),
  theme(
    'Saved searches',
    [
      '`GET` lists them, `POST` is 201, `DELETE` 204',
      [saved, 'are created on the configured platform, listed newest first and deleted'],
    ],
    ['`PATCH …/run` records the time', [saved, 'record when they were run; an unknown one is 404']],
    [
      '`POST` beyond the limit of the tier is 403',
      [saved, 'are limited to three in the free tier, however many are created at once on two replicas'],
    ],
  ),
  theme('Community signals', [
    '`POST /api/community/signal` stores whether a score looks right',
    [listings('community/community'), 'a user has one signal for each seller, and a later one replaces it'],
  ]),
  theme(
    'Blocklist',
    [
      '`GET`, `POST` 201 and `DELETE` 204',
      [blocklist, 'loses a seller who is removed, and removing an unknown one is 204'],
    ],
    [
      '`POST` is 403 for visitors and guests',
      [blocklist, 'may not be changed by guests and visitors, except that guests may import'],
    ],
    [
      'With a community store and the preference, a signal `blocklist_add` is published',
      [listings('share-blocked'), 'a blocked seller is published only for users whose preference allows it'],
      [
        listings('community/community'),
        'a signal is published with its fields, and the schema is created for the first',
      ],
    ],
    [
      'A failure to publish is logged and does not fail the request',
      [listings('community/community'), 'a failure to store a signal is logged and not thrown'],
      [listings('share-blocked'), 'a failure to read the preference does not fail the caller'],
    ],
    [
      'The export is a CSV download with the six columns',
      [blocklist, 'is exported as a CSV download, whose formulas are escaped, and which an import restores'],
      [listings('blocklist/csv'), 'has a header, and a line for each entry'],
    ],
    [
      'The import has required and optional columns, reports rows, and tolerates a byte-order mark',
      [blocklist, 'is imported from CSV: good rows are imported, bad ones reported'],
      [listings('blocklist/csv'), 'reports rows without required values, counting the header as row 1'],
      [listings('blocklist/csv'), 'is read with a byte-order mark, columns in any order'],
    ],
    [
      'The import is 403 for visitors, 400 for a file that is not UTF-8',
      [blocklist, 'may not be changed by guests and visitors, except that guests may import'],
      [blocklist, "['text in another encoding'"],
    ],
  ),
  theme(
    'Reported sellers and preferences',
    [
      '`POST /api/reported` is 204, `GET` lists ids',
      [listings('reported/reported'), 'are remembered per user, once each, latest first'],
    ],
    [
      '`GET /api/preferences` is an empty object for visitors, `PATCH` 403',
      [listings('preferences/preferences'), 'are empty for a visitor without a session, who may not set any'],
    ],
    [
      '`PATCH` sets or clears a path and returns all preferences',
      [
        listings('preferences/preferences'),
        'are nested by the parts of their paths, set one by one, and cleared with null',
      ],
    ],
    [
      '`affiliate.byok_ids.` is 403 below premium',
      [listings('preferences/preferences'), 'a campaign of one’s own requires the premium tier'],
    ],
  ),
  theme(
    'Query builder, feedback, corrections and notifications',
    [
      '`POST /api/search/build` trims the text and returns the nine fields',
      [
        listings('query-builder/query-builder'),
        'sends the model the trimmed text, fitting categories and the key, and returns nine fields',
      ],
    ],
    [
      '`GET /api/feedback/status` reports whether feedback is enabled',
      [listings('feedback/feedback'), 'without a token feedback is disabled: 503, before all other checks'],
    ],
    [
      '`POST /api/feedback` creates an issue with view, version and platform',
      [listings('feedback/feedback'), 'an issue with labels and context is created on Forgejo, by ids of labels'],
      [listings('feedback/issue-text'), 'the body of a bug has a heading, the description, the steps and the context'],
    ],
    [
      'Corrections aggregate over all users',
      [
        listings('corrections/corrections'),
        'a correction is stored with the name of this service, and listed for other users',
      ],
    ],
    [
      '`GET /api/marketplace/webhook-health` is 200 with five variables, else 500 with the missing names',
      [listings('account-deletion/rpc'), 'is ok with all five variables'],
      [listings('account-deletion/rpc'), 'is 500 without %s, which it names alone'],
    ],
    [
      'Public keys are fetched with a token of the client-credentials grant',
      [listings('account-deletion/rpc'), 'are fetched with an application token and cached for an hour'],
    ],
  ),
]
