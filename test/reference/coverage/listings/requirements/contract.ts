import { listings, type Theme, theme } from '../../promised.ts'

const service = listings('service')
const score = listings('scoring/score')
const edge = 'test/contract/edge.test.ts'
const admission = 'test/contract/admission.test.ts'
const pages = 'test/contract/pages.test.ts'
const main = 'test/main-jobs/listings.test.ts'
const alerts = listings('alerts/alerts')
const outbox = listings('alerts/outbox')
const monitors = listings('monitors/monitors')

/** Promises of the HTTP contract, where the specification leaves something open. */
export const contract: readonly Theme[] = [
  theme(
    'Contract: all services',
    [
      'Paths follow the mount; `/health` and `/ready` are open',
      [admission, 'liveness and readiness probes are answered for any host'],
      [pages, 'the root redirects to the home page, and other methods find no page'],
    ],
    [
      'Keys in snake case; what is unknown is null, and never left out',
      [edge, 'path, query and header values are read, and answers use snake case with null for absent values'],
    ],
    [
      'Errors have a status and `detail`; never a 500 for bad input',
      ['test/conformance/conformance.test.ts', 'operations declare the statuses of the edge itself'],
      [edge, 'an unknown path is 404, another method 405 with Allow, a broken escape 400'],
    ],
    [
      'Lists are newest first, with `limit`, `cursor` and `next_cursor`',
      [alerts, 'are listed newest first, in pages, with the number of unread ones'],
      [listings('corrections/corrections'), 'the list pages from the newest to the oldest, with clamped limits'],
    ],
    [
      '`Last-Event-ID` resumes streams without loss or repetition',
      [main, 'an asynchronous search answers 202 and streams listings first; a resumed stream repeats nothing'],
      [edge, 'Last-Event-ID resumes a stream, as a header or as a parameter'],
    ],
    [
      'Downloads are attachments with ASCII and UTF-8 names',
      [edge, 'a download supports ranges, suffixes, UTF-8 filenames and HEAD'],
    ],
    [
      'The OpenAPI document has every route, with examples',
      ['test/conformance/conformance.test.ts', 'the served document contains every route'],
    ],
    [
      'Requests for other hosts are 421, state-changing ones of other sites 403',
      [admission, 'X-Forwarded-Host makes no host accepted or rejected'],
      [admission, 'a page of another site may link to a route that only reads'],
    ],
    [
      '429 with `Retry-After` per user and address',
      [admission, '20 of 60 concurrent searches are accepted and the rest get 429 with Retry-After'],
      [listings('search/search'), 'are refused beyond the limit, even if started concurrently, until one has ended'],
    ],
    [
      '`GET /listings/api/photos/{id}/{n}`: images by content, at most 5 MB, cached, own listings only',
      [listings('photos/photos'), 'is fetched once, with an honest user agent, and served with its type'],
      [listings('photos/photos'), 'is 404 beyond the last one, and for an unknown listing'],
    ],
    ['`GET /listings/api/categories`', [listings('categories/categories'), 'are found by words in their path']],
    ['JSON over 2 KB is compressed on request, streams never', [pages, 'an event stream is never compressed']],
  ),
  theme(
    'Contract: listings',
    [
      'A price is a number with its currency, null when it cannot be read, and then without a price signal',
      [listings('marketplace/money'), 'a number without a sign on a site without a currency is not money'],
      [score, 'a price of %s against a market price of 100 earns %s'],
    ],
    [
      'Composite: missing signals leave the denominator, rounding half up',
      [score, 'missing signals are excluded from the composite and widen its range'],
      [score, 'halves are rounded up'],
    ],
    [
      '`score_range` has the missing signals at 0 and at 20, caps applied; blocklisted is 0 to 0',
      [score, 'missing signals are excluded from the composite and widen its range'],
      [score, 'a seller without feedback is capped at 35, including the range'],
      [score, 'a seller on the blocklist scores 0 regardless of the signals'],
    ],
    [
      'Every signal has evidence with source and age',
      [score, 'every signal, even a missing one, has a sentence with its source and age'],
    ],
    [
      'Variation and duplicates of the batch are those of the returned listings, and stay for re-scoring',
      [
        listings('enrich/enrich'),
        'a new score reuses the price signal of its search after the market price has expired',
      ],
      [score, 'the variation is computed per currency, over single prices above zero'],
    ],
    [
      'Flags `zero_feedback` (caps at 35) and `account_under_30_days`',
      [score, 'a seller without feedback is capped at 35, including the range'],
      [score, "['an account of 7 days'"],
    ],
    [
      'Damage wording matches whole words, without negations',
      [listings('scoring/damage'), 'a word truncated by that distance is not a denial'],
    ],
    [
      'At most 8 queries, 10 groups, 20 alternatives; beyond, and for unknown values, 422',
      [listings('search-terms'), '8 queries, 20 alternatives and 10 groups are accepted'],
      [main, 'the API without credentials 503'],
    ],
    [
      'Comps count sold items only: no unsold ones, ranges and accepted offers',
      [listings('comps/comps'), 'a card marked sold at one price counts'],
      [listings('marketplace/demo/demo'), 'distinguishes sold, ended and accepted offers'],
    ],
    [
      'What follows the divider counts neither for prices nor as a result',
      [service, 'results after the divider are left out'],
      [listings('marketplace/demo/demo'), 'separates results that match fewer words from those that match all'],
    ],
    [
      'Unrelated items are in no median',
      [listings('comps/comps'), 'accessories, other models, empty boxes, broken items and lots are in no median'],
      [listings('comps/comps'), 'unrelated sales change nothing but the counts of excluded ones'],
    ],
    [
      'From eight sales on outliers are trimmed; fewer than three have no median',
      [listings('comps/comps'), 'outliers are trimmed from eight sales on, and the sample count excludes them'],
      [listings('comps/comps'), 'fewer than three sales have no median'],
    ],
    [
      'A blank asynchronous search streams one empty `listings`',
      [service, 'a blank query returns nothing at once, or streams one empty frame'],
    ],
    [
      'A failed search sends `search_failed` and then `done`',
      [service, 'a refusal is a 502 with Retry-After, and a searchFailed frame on a stream'],
    ],
    [
      '`DELETE /api/updates/{session_id}` stops a search; so do 30 s without followers',
      [service, 'a cancelled search ends its stream and its run'],
      [listings('search/search-lifetime'), 'a search stops 30 s after its last follower leaves'],
    ],
    [
      'Every guest has a store of their own; visitors read empty lists, and their writes are 403',
      [service, 'sightings, finds and streams are separate for each user'],
      [
        listings('saved-searches/saved-searches'),
        'of a visitor without a session are an empty list, and writing is 403',
      ],
      [
        listings('search/search'),
        'without a session have results that are not shared with other visitors and that expire',
      ],
    ],
    [
      'The data of guests is deleted after a while',
      [
        listings('retention/retention'),
        "deletes a guest's listings after 30 days, a user's after a year, with everything about them",
      ],
      [listings('retention/retention'), 'deletes what guests have set, reported and imported, and not what users have'],
      [listings('saved-searches/saved-searches'), 'of guests are deleted 30 days after their last use'],
    ],
    [
      'Stored listings, price changes and prices are bounded',
      [
        listings('retention/retention'),
        'deletes the listings of a user beyond the maximum, those not found for longest first',
      ],
      [listings('retention/retention'), 'bounds the price changes of a listing, of which the latest stay'],
      [listings('retention/retention'), 'deletes expired market prices and ended tasks, and keeps those in use'],
    ],
    [
      'Guests may send corrections; only the signed-in read or export them',
      [listings('corrections/corrections'), 'guests may send corrections; only the signed-in may read or export them'],
    ],
    [
      'Deleting an unknown saved search or entry is 204; formulas are escaped on export',
      [listings('blocklist/blocklist'), 'loses a seller who is removed, and removing an unknown one is 204'],
      [listings('blocklist/csv'), 'escapes the formula %j with an apostrophe'],
    ],
    ['Unknown preferences are 422', [listings('preferences/preferences'), "['an unknown path', 'affiliate', true]"]],
    [
      'Notifications of deleted accounts are verified, stored once, and delete in every store',
      [listings('account-deletion/rpc'), 'with a valid signature is stored once, however often it is sent'],
      [
        listings('account-deletion/deletions'),
        'all traces of the account are deleted, in any case of its name, and no others',
      ],
      [
        listings('account-deletion/deletions'),
        "another seller's score no longer quotes a listing of the account as its duplicate",
      ],
      [
        listings('account-deletion/deletions'),
        'what is computed about a listing that was deleted meanwhile is not stored',
      ],
      [listings('account-deletion/rpc'), 'a sender that leaves does not end the request that others wait for'],
      [
        listings('account-deletion/signature'),
        'the answer to a challenge is the digest of the code, the token and the endpoint',
      ],
    ],
    ['`tab` and `view` are both accepted', [listings('feedback/feedback'), 'tab is another name of view']],
    [
      'Without a marketplace the demo is used, and responses carry `X-Marketplace: demo`',
      [main, 'a search returns listings with scores, sellers and a market price, marked as the demo'],
    ],
    [
      'The demo changes with time, the same for all instances',
      [
        listings('marketplace/demo/demo'),
        'every quarter of an hour a new item of each model is listed, newest first, for an hour',
      ],
      [
        listings('marketplace/demo/demo'),
        'some fixed prices fall by seven per cent in two hours, three times, and then return',
      ],
      [
        monitors,
        'of the demo marketplace alert without any configuration to what is new there and to prices that fall',
      ],
    ],
    [
      'The scraper keeps to robots.txt, a rate limit and an honest user agent, and never evades a block',
      [listings('marketplace/scraper/scraper'), 'a page that robots.txt forbids is not requested'],
      [listings('marketplace/scraper/scraper'), 'requests have our user agent and a gap between them'],
      [listings('marketplace/scraper/scraper'), 'a refusal closes the host for its Retry-After'],
    ],
    [
      '`GET /api/listings/{id}`: listing, score, seller, price history and sightings',
      [service, 'every price change is stored, including a return to an earlier price'],
      [service, 'sightings, finds and streams are separate for each user'],
    ],
    [
      '`GET /api/comps`',
      [service, 'comps have their sample count and expiry'],
      [service, 'a market price for a blank query is a 422'],
    ],
    [
      'Monitors run saved searches and alert once to each listing, and to changes of its price',
      [monitors, 'alert once to each trusted listing, whichever search finds it, and to a change of its price'],
      [monitors, 'that are due run once, although two replicas look'],
      [monitors, 'of a marketplace that refuses show why, and wait longer with each failure'],
    ],
    [
      'Alerts are listed, dismissed, snoozed, and delivered by feed, webhook and e-mail',
      [alerts, 'are dismissed one by one or all together, and then listed on request only'],
      [alerts, 'are hidden while they are snoozed'],
      [listings('alerts/feed'), 'an XML parser reads from the feed what was written'],
      [outbox, 'to a webhook that has moved are not taken for received, and the settings name the new address'],
      [outbox, 'by e-mail are sent once, however long the server checks them, and webhooks do not wait for it'],
      [listings('alerts/mail'), 'a subject in any script arrives as it was, and a long one is cut between characters'],
      [outbox, 'reach a webhook that fails first, with the same id and body, signed again'],
      [outbox, 'by e-mail are sent once, after a temporary refusal'],
    ],
  ),
]
