import { listings, type Theme, theme } from '../../promised.ts'

const service = listings('service')
const identity = 'test/contract/identity.test.ts'
const main = 'test/main-jobs/listings.test.ts'

/** Promises about the whole service: authentication, events, errors, limits, versions. */
export const rules: readonly Theme[] = [
  theme(
    'Authentication',
    [
      'In local mode every caller is `local`',
      [identity, 'every caller is the local user, whatever the session header contains'],
    ],
    [
      'In cloud mode a JWT with HS256 identifies its user by `id`, from `X-Gateway-Session` or a cookie',
      [identity, 'a session in a header, a cookie or a forwarded cookie string identifies its user by the claim id'],
    ],
    ['A token without `id` is rejected', [identity, "['without an id'"]],
    [
      'A cookie that is no JWT makes an anonymous caller',
      [identity, 'a malformed token makes an anonymous caller, not an error'],
    ],
    [
      'Visitors with a guest cookie are `guest:<uuid>`',
      [identity, 'only a guest cookie with a valid id makes a guest'],
    ],
    [
      'The tier comes from the licensing service, which provisions new users',
      [identity, 'the tier is resolved once in five minutes, with the token, after provisioning the user'],
      [identity, 'a failure of the licensing service yields the tier free'],
    ],
    [
      'Features by tier: pages, saved searches, photo analysis, query builder',
      [listings('session/features'), 'the free tier saves three searches and has no extras, all other tiers have them'],
      [listings('session/features'), '%s pages in the %s tier are %s'],
      [listings('query-builder/query-builder'), 'is 402 below the paid tier'],
    ],
    [
      'The blocklist is for the signed-in, import and preferences for all but visitors',
      [listings('blocklist/blocklist'), 'may not be changed by guests and visitors, except that guests may import'],
    ],
    [
      'Credentials by `MARKETPLACE_ENV`, with the older names for production; the API adapter with both, else the scraper',
      [listings('query/plan'), 'requiring the API fails with %j'],
      [listings('account-deletion/rpc'), 'names the credentials of the sandbox there'],
      [listings('account-deletion/rpc'), 'accepts the older names of the credentials'],
    ],
    [
      '`COMMUNITY_DB_URL` unset: community signals are disabled',
      [listings('community/community'), 'without a community database nothing is published'],
    ],
  ),
  theme(
    'Events',
    [
      '`listings`, `market_price`, `update`, `done`',
      [service, 'an asynchronous search publishes listings first, then the price, then updates'],
    ],
    [
      'An `update` has the listing, its score, its seller and the market price',
      [service, 'a search returns listings, scores, sellers and the market price, marked as a demo'],
    ],
    [
      '`done` is `{}`, or has the reason `timeout`',
      [listings('search/drive'), 'a search whose deadline passed before it was driven ends at once'],
      [main, 'sellers are enriched afterwards: the stream delivers updates with account ages, then done'],
    ],
    [
      '`: heartbeat` every 15 s',
      ['services/edge/src/stream/heartbeat.test.ts', 'a silent stream gets a comment every 15 s'],
    ],
    [
      'All available events are sent as they come, and `done` ends the stream',
      [service, 'the stream of an ended search ends after its last event'],
    ],
    [
      'The stream closes when its client disconnects',
      ['test/contract/edge.test.ts', 'the rpc ends promptly when the client leaves its stream'],
    ],
  ),
  theme(
    'Errors',
    ['402: query builder without the feature', [listings('query-builder/query-builder'), 'is 402 below the paid tier']],
    [
      '403: limits of tiers, demo mode, guests and visitors',
      [listings('feedback/feedback'), 'in demo mode feedback is refused: 403'],
      [
        listings('saved-searches/saved-searches'),
        'of a visitor without a session are an empty list, and writing is 403',
      ],
    ],
    ['400: import that is not UTF-8', [listings('blocklist/csv'), 'that is not UTF-8 is malformed']],
    [
      '404: unknown seller, listing or session',
      [service, 'enrichment looks a seller up, rescores the listing and saves the score'],
      [main, 'a blank search is empty, an unknown session 404'],
    ],
    [
      '422: the answer of the model cannot be parsed; `detail` has `message` and `raw`',
      [listings('query-builder/query-builder'), 'is 422 with the raw answer for %s'],
    ],
    [
      '500: webhook health without its settings',
      [listings('account-deletion/rpc'), 'is 500 without %s, which it names alone'],
    ],
    ['502: the marketplace failed', [service, 'a refusal is a 502 with Retry-After']],
    [
      '503: no model, an error of the model, no issue tracker',
      [listings('query-builder/query-builder'), 'is 503 without a model'],
      [listings('query-builder/query-builder'), 'is 503 if the model %s'],
      [listings('feedback/feedback'), 'without a token feedback is disabled: 503'],
    ],
  ),
  theme(
    'Limits',
    [
      'The app offers 1, 2, 3 and 5 pages, as far as the tier allows',
      ['services/web/test/journeys/tiers.test.ts', 'an account of the free tier'],
    ],
    ['`POST /api/enrich` waits for 60 s', [listings('enrich/enrich'), 'a lookup that a caller waits for has 60 s']],
    [
      'At most five lookups of a search at a time: four queries, and the one of sales',
      [
        listings('worker/work'),
        'a search looks completed sales up first, and sends four queries at a time beside that',
      ],
    ],
    ['Four concurrent searches', [listings('worker/kind'), 'four searches run concurrently, or as many as configured']],
    [
      'Three account ages and three categories per search, two at a time',
      [listings('enrich/tasks'), 'the first three sellers are looked up once each, in the order of the results'],
      [
        listings('enrich/tasks'),
        'sellers whose answers can change most come first, and blocked ones are not looked up',
      ],
      [
        listings('enrich/enrich'),
        'a seller whom another search is looking up is not looked up again, and its answer is used',
      ],
      [listings('worker/work'), 'sellers are looked up two at a time'],
    ],
    [
      'Streams last 90 s or 150 s',
      [listings('search/search'), 'have 90 s if a call waits for the answer, and 150 s if their updates are followed'],
    ],
    [
      'A locked database is waited for, then 503',
      [
        'services/kit/src/store/sqlite-dialect.test.ts',
        'a write fails with 503 and a time to retry after when the lock is not released in time',
      ],
      [service, 'a locked database after the search costs the scores but not the listings'],
    ],
    [
      'Pages are cached for five minutes',
      [listings('marketplace/scraper/scraper'), 'a page is cached for five minutes'],
    ],
    ['Comps are cached for six hours', [listings('comps/comps'), 'expires after six hours']],
    ['The guest cookie lasts a day', [service, 'a visitor becomes a guest only once']],
    ['A full queue drops tasks', [listings('photo-analysis/tasks'), 'queued ones are dropped']],
  ),
  theme(
    'Versions',
    ['The service reports `0.1.0`', [main, 'the health is open, the API document states version 0.1.0']],
    [
      'Changes of the schema are numbered, applied in order',
      ['test/contract/ports/store.ts', 'rows persist across openings, and only missing migrations are applied'],
      [listings('sellers/store'), 'of an earlier version retains its join date as a month'],
    ],
  ),
]
