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
const identity = 'test/contract/identity.test.ts'
const running = 'test/main-jobs/process.test.ts'
const journey = 'test/cluster/journey.test.ts'
const replicas = 'test/contract/listings-replicas.test.ts'

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
      'Each mount has a health; `/ready` names what is not ready',
      [running, 'health and readiness are served at the root and under every mount, and / leads to the home page'],
      [
        'test/contract/ready.test.ts',
        'an edge is ready while any of its services is available, and names the unavailable ones',
      ],
    ],
    ['Metrics have a port of their own', [running, 'metrics are served on a separate port in the Prometheus format']],
    [
      'Any chat-completions server builds searches',
      [listings('query-builder/query-builder'), 'accepts a server that does not stream'],
    ],
    [
      'Both secrets are accepted during a rotation; a failing licensing service means the tier free',
      [identity, 'both secrets are accepted during a rotation'],
      [identity, 'a failure of the licensing service yields the tier free'],
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
      [alerts, 'are listed newest first, those of one run as it ranks them, in pages, with the number of unread ones'],
      [listings('corrections/corrections'), 'the list pages from the newest to the oldest, with clamped limits'],
    ],
    [
      '`Last-Event-ID` resumes streams without loss or repetition',
      [main, 'an asynchronous search answers 202 and streams listings first; a resumed stream repeats nothing'],
      [edge, 'Last-Event-ID resumes a stream, as a header or as a parameter'],
      [service, 'the stream of an ended search ends after its last event, and is a 404 without its updates'],
    ],
    [
      'Downloads are attachments with ASCII and UTF-8 names, in any range',
      [edge, 'a download supports ranges, suffixes, UTF-8 filenames and HEAD'],
    ],
    [
      'The OpenAPI document has every route, with examples',
      ['test/conformance/conformance.test.ts', 'the served document contains every route'],
    ],
    [
      'The document of a mount has the version of its specification; `/docs` shows it',
      [edge, 'the OpenAPI document of a mount has the version of its spec'],
    ],
    [
      'The app is served at every path that the API does not use, with its assets',
      [pages, 'the web app is served at %s, which the API does not use'],
      [pages, '%s is 404 with a sentence, never the page'],
      [pages, 'assets are served at %s, compressed as the client accepts'],
      [pages, 'without a build, pages are 503 with a sentence, and the API works'],
    ],
    [
      'The path of `EDGE_URL` is stripped from requests, and put before redirects and links',
      [pages, 'under the path of EDGE_URL, requests, redirects, assets and documents carry it'],
    ],
    [
      '`SIGN_IN_URL` is where the signed-out are sent in cloud mode',
      [pages, 'the page learns where to sign in only in cloud mode'],
    ],
    [
      'By default no response has CORS headers',
      [admission, 'answers have no CORS headers by default, nor in development outside of music'],
    ],
    [
      '`traceparent` is passed on, and every response has `x-request-id`',
      [edge, 'the trace context of a request reaches the handler'],
      [edge, 'every answer carries the security headers and a request id'],
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
      [admission, 'wrong keys are limited, but a known right key and requests without a key are not'],
      [admission, 'concurrent uploads are limited, and a finished one frees its slot'],
    ],
    ['A body without data for 30 s is 408', [admission, '%s that never arrives gets 408 or 404']],
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
      [main, 'a blank search is empty, an unknown session 404, the API without credentials 503'],
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
      'Unrelated items are in no median, nor are games in that of their console',
      [listings('comps/comps'), 'accessories, other models, empty boxes, broken items and lots are in no median'],
      [listings('comps/comps'), 'unrelated sales change nothing but the counts of excluded ones'],
      [
        listings('comps/comps'),
        'a title that may name a part is one at less than half of the price of wholes, and a whole otherwise',
      ],
      [listings('comps/relevance'), "['game boy color', 'Pokemon Gold Game Boy Color', 'other_thing'"],
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
      'Frames have their type; `market_price` has the number of sales and the quartiles',
      [service, 'an asynchronous search publishes listings first, then the price, then updates'],
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
        'some fixed prices fall by seven per cent an hour, three times, and then return',
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
      [monitors, 'whose worker is killed are repeated within minutes, also after a restart, and show no internals'],
      [replicas, 'a monitor whose replica is killed during its run is concluded by the other, with each alert once'],
      [journey, 'monitors on two replicas run once each, as Searches with workers, and alert once to each listing'],
    ],
    [
      'Alerts are listed, dismissed, snoozed, and delivered by feed, webhook and e-mail',
      [alerts, 'are dismissed one by one or all together, and then listed on request only'],
      [alerts, 'are hidden while they are snoozed'],
      [listings('alerts/feed'), 'an XML parser reads from the feed what was written'],
      [outbox, 'to a webhook that has moved are not taken for received, and the settings name the new address'],
      [outbox, 'by e-mail are sent once, however long the server checks them, and webhooks do not wait for it'],
      [
        listings('alerts/mail'),
        'a server that offers no TLS gets nothing if TLS is required, and the message is retried',
      ],
      [listings('alerts/mail'), 'a subject in any script arrives as it was, and a long one is cut between characters'],
      [outbox, 'reach a webhook that fails first, with the same id and body, signed again'],
      [outbox, 'by e-mail are sent once, after a temporary refusal'],
    ],
  ),
  theme('Forms', [
    'A search is the same in one process, in several, and in a cluster',
    [main, 'a search returns listings with scores, sellers and a market price, marked as the demo'],
    [replicas, 'a search survives the kill of its replica: another completes it, without duplicates'],
    [journey, 'a Search and the same search by HTTP find the same; the Search created for HTTP expires'],
    ['test/cluster/install.test.ts', 'helm test streams a search of the demo marketplace and passes'],
  ]),
]
