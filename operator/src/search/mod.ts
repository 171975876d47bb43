/** Searches: each runs in an idle worker of a pool, or in a pod of its own. */
import { type Search, searches } from '../crds/mod.ts'
import { defineRunKind } from '../runs/mod.ts'
import type { AllowedUsers } from './decide.ts'
import { searchFor, searchNameOf } from './search-object.ts'
import { fieldsOf, outcomeOf } from './status.ts'
import { planRequestOf } from './subject.ts'
import type { Survey } from './survey.ts'
import { createSearchWorkers } from './workers.ts'

/** The kind Search. `allowedUsers` are the users that Searches applied by people may name; none by default. */
export const searchKind = ({ allowedUsers = [] }: { allowedUsers?: AllowedUsers } = {}) =>
  defineRunKind<Search, Survey>({
    workload: 'search',
    workloadName: 'WORKLOAD_SEARCH',
    plural: 'searches',
    resource: searches,
    name: 'search',
    concurrency: 16,
    // The status of a Search has no progress.
    ignored: new Set(['progress']),
    nameOf: searchNameOf,
    draftOf: (request, options) => (request.search ? searchFor(request, request.search, options) : undefined),
    planRequestOf,
    fieldsOf,
    outcomeOf,
    cleared: { warm: null, attempts: null },
    createWorkers: (parts, steps, { wake }) => createSearchWorkers({ ...parts, steps, allowedUsers }, wake),
  })

export type { AllowedUsers } from './decide.ts'
