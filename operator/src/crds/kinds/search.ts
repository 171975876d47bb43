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
  immutable('a Search runs once; create another Search instead', field)

const term = text('A term as it appears in a title.', { minLength: 1, maxLength: 100 })

const filters = object(
  'filters are the conditions that a listing must satisfy to be shown.',
  {
    mustInclude: list(
      'mustInclude is the terms that a title must contain; mustIncludeMode defines how they combine.',
      term,
      {
        maxItems: 200,
      },
    ),
    mustIncludeMode: defaulted(
      'all',
      choice(
        'mustIncludeMode is how mustInclude terms combine: all (every term), any (at least one) or groups (each item is a group of alternatives separated by |, at least one of which must match).',
        ['all', 'any', 'groups'],
      ),
    ),
    mustExclude: list('mustExclude is the terms that a title must not contain.', term, { maxItems: 200 }),
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
    'Search is one search of the marketplace: it finds listings, scores the sellers and estimates a market price. It runs once, in its own worker.',
  spec: object('spec is what to search for, and how. Only suspend and the two time limits can be changed later.', {
    query: required(
      fixed(
        text('query is the search text, as typed into the marketplace.', {
          minLength: 1,
          maxLength: 500,
          rules: [{ rule: "self.trim() != ''", message: 'query must not be blank: state what to search for' }],
        }),
      ),
    ),
    filters: fixed(filters),
    adapter: fixed(
      defaulted(
        'auto',
        choice(
          'adapter is the access to the marketplace: api (its official API, which needs credentials), scraper (its pages) or auto (the API if credentials are configured).',
          ['auto', 'api', 'scraper'],
        ),
      ),
    ),
    pages: fixed(
      defaulted(
        1,
        integer('pages is how many pages of results to read, 1 to 999; limited by the tier of the user.', {
          minimum: 1,
          maximum: 999,
        }),
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
        'ttlSecondsAfterFinished is how many seconds the Search and its pod are retained after it has ended, successfully or not; 0 removes them at once.',
        { minimum: 0, maximum: 31_536_000 },
      ),
    ),
    activeDeadlineSeconds: defaulted(
      300,
      integer(
        'activeDeadlineSeconds is the number of seconds from startTime after which the Search is stopped and fails with DeadlineExceeded.',
        { minimum: 1, maximum: 86_400 },
      ),
    ),
    suspend: defaulted(
      false,
      flag('suspend pauses the Search: while true it is not started, and a running one loses its worker.'),
    ),
  }),
  status: defaulted(
    notObserved,
    object('status is the observed state of the Search; the operator writes it.', {
      ...commonStatus,
      ...runStatus,
      sessionId: text('sessionId is the id under which the listings service publishes what the Search finds.', {
        maxLength: 253,
      }),
      attempts: integer(
        'attempts is the number of the current worker, counted from 1: 2 once a worker was lost and replaced.',
        { minimum: 0 },
      ),
      warm: flag('warm is whether an idle worker of a WarmPool was claimed, so that no pod had to be started.'),
      listingsFound: integer('listingsFound is how many listings have been found so far.', { minimum: 0 }),
      marketPrice: number(
        'marketPrice is the median price of completed sales, in the currency of the marketplace; absent while unknown, or if there are too few sales.',
        { minimum: 0 },
      ),
    }),
  ),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Pending, Running, Complete or Failed.' },
    { name: 'Listings', type: 'integer', path: '.status.listingsFound', description: 'Listings found so far.' },
    { name: 'Price', type: 'number', path: '.status.marketPrice', description: 'Median price of completed sales.' },
    { name: 'Query', type: 'string', path: '.spec.query', description: 'The search text.', wide: true },
    {
      name: 'Warm',
      type: 'boolean',
      path: '.status.warm',
      description: 'Whether an idle worker was claimed.',
      wide: true,
    },
    { name: 'Pod', type: 'string', path: '.status.podName', description: 'The pod that runs it.', wide: true },
    { name: 'User', type: 'string', path: '.spec.user', description: 'The user on whose behalf it runs.', wide: true },
  ],
  selectable: ['.spec.user', '.status.phase', '.status.sessionId'],
})

export type SearchSpec = SpecOf<typeof search>
export type SearchSpecInput = SpecInputOf<typeof search>
export type SearchStatus = StatusOf<typeof search>
export type SearchStatusInput = StatusInputOf<typeof search>
