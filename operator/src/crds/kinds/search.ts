import { defineKind, type SpecInputOf, type SpecOf, type StatusInputOf, type StatusOf } from '../kind.ts'
import {
  choice,
  defaulted,
  type Field,
  flag,
  immutable,
  integer,
  list,
  number,
  object,
  type Presence,
  required,
  text,
} from '../schema.ts'
import { commonStatus, notObserved, runStatus } from '../status.ts'

const fixed = <Read, Write, P extends Presence>(field: Field<Read, Write, P>) =>
  immutable('a Search is run once; make another Search instead', field)

const term = text('A term, as it stands in a title.', { minLength: 1, maxLength: 100 })

const filters = object(
  'filters are what a listing must satisfy to be shown.',
  {
    mustInclude: list(
      'mustInclude is the terms that a title must have; mustIncludeMode says how they are read.',
      term,
      {
        maxItems: 200,
      },
    ),
    mustIncludeMode: defaulted(
      'all',
      choice(
        'mustIncludeMode is how mustInclude is read: all (every term), any (at least one) or groups (each item is a group of alternatives parted by |, of which one must be there).',
        ['all', 'any', 'groups'],
      ),
    ),
    mustExclude: list('mustExclude is the terms that a title must not have.', term, { maxItems: 200 }),
    minPrice: number('minPrice is the lowest price, in the currency of the marketplace. Leave it out for no limit.', {
      minimum: 0,
    }),
    maxPrice: number('maxPrice is the highest price, in the currency of the marketplace. Leave it out for no limit.', {
      minimum: 0,
    }),
    categoryId: text("categoryId is the marketplace's own id of a category to search in.", {
      minLength: 1,
      maxLength: 40,
    }),
  },
  [
    {
      rule: '!has(self.minPrice) || !has(self.maxPrice) || self.minPrice <= self.maxPrice',
      message: 'minPrice must not be above maxPrice',
      fieldPath: '.minPrice',
      reason: 'FieldValueForbidden',
    },
  ],
)

export const search = defineKind({
  kind: 'Search',
  plural: 'searches',
  shortName: 'srch',
  description:
    'Search is one search of the marketplace: it finds listings, scores whom to trust and names a market price. It runs once, in a worker of its own.',
  spec: object('spec is what to search for, and how. Only suspend and the two time limits can be changed later.', {
    query: required(
      fixed(
        text('query is what to search for, in the words of the marketplace.', {
          minLength: 1,
          maxLength: 500,
          rules: [{ rule: "self.trim() != ''", message: 'query must not be blank: it says what to search for' }],
        }),
      ),
    ),
    filters: fixed(filters),
    adapter: fixed(
      defaulted(
        'auto',
        choice(
          'adapter is the way to the marketplace: api (its official API, which needs credentials), scraper (its pages) or auto (the API where there are credentials).',
          ['auto', 'api', 'scraper'],
        ),
      ),
    ),
    pages: fixed(
      defaulted(
        1,
        integer(
          'pages is how many pages of results to read, 1 to 999; what the tier of the user does not allow is cut off.',
          {
            minimum: 1,
            maximum: 999,
          },
        ),
      ),
    ),
    user: fixed(
      text('user is the id of the user on whose behalf to search, whose tier and blocklist apply.', {
        minLength: 1,
        maxLength: 253,
      }),
    ),
    ttlSecondsAfterFinished: defaulted(
      3600,
      integer(
        'ttlSecondsAfterFinished is for how many seconds the Search and its pod stay after it has ended, well or not; 0 removes them at once.',
        { minimum: 0, maximum: 31_536_000 },
      ),
    ),
    activeDeadlineSeconds: defaulted(
      300,
      integer(
        'activeDeadlineSeconds is after how many seconds from its startTime the Search is stopped and fails with DeadlineExceeded.',
        { minimum: 1, maximum: 86_400 },
      ),
    ),
    suspend: defaulted(
      false,
      flag('suspend holds the Search back: while true it is not started, and one that runs gives up its worker.'),
    ),
  }),
  status: defaulted(
    notObserved,
    object('status is what has become of the Search; the operator writes it.', {
      ...commonStatus,
      ...runStatus,
      sessionId: text('sessionId is the id under which the listings service publishes what the Search finds.', {
        maxLength: 253,
      }),
      attempts: integer(
        'attempts is which worker of the run has it, counted from 1: 2 once a worker was lost and replaced.',
        { minimum: 0 },
      ),
      warm: flag('warm is whether an idle worker of a WarmPool took the Search, so that no pod had to be started.'),
      listingsFound: integer('listingsFound is how many listings were found so far.', { minimum: 0 }),
      marketPrice: number(
        'marketPrice is the median price of completed sales, in the currency of the marketplace; absent while unknown, or when there are too few sales.',
        { minimum: 0 },
      ),
    }),
  ),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Pending, Running, Complete or Failed.' },
    { name: 'Listings', type: 'integer', path: '.status.listingsFound', description: 'Listings found so far.' },
    { name: 'Price', type: 'number', path: '.status.marketPrice', description: 'Median price of completed sales.' },
    { name: 'Query', type: 'string', path: '.spec.query', description: 'What is searched for.', wide: true },
    {
      name: 'Warm',
      type: 'boolean',
      path: '.status.warm',
      description: 'Whether a waiting worker took it.',
      wide: true,
    },
    { name: 'Pod', type: 'string', path: '.status.podName', description: 'The pod that serves it.', wide: true },
    { name: 'User', type: 'string', path: '.spec.user', description: 'On whose behalf.', wide: true },
  ],
  selectable: ['.spec.user', '.status.phase', '.status.sessionId'],
})

export type SearchSpec = SpecOf<typeof search>
export type SearchSpecInput = SpecInputOf<typeof search>
export type SearchStatus = StatusOf<typeof search>
export type SearchStatusInput = StatusInputOf<typeof search>
