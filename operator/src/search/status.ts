import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { SearchStatus } from '../crds/mod.ts'
import type { Desired } from '../runs/mod.ts'
import type { SearchRun } from './dependencies.ts'

/** The status fields of a Search besides those of every run. */
export const fieldsOf = ({ runId, found: { current } }: SearchRun): Desired<SearchStatus> => ({
  sessionId: runId,
  ...(current ? { warm: current.isClaimed, attempts: current.attempt } : {}),
})

/** The status fields of the result that the listings service reported. */
export const outcomeOf = (concluded: RunConcluded | undefined): Desired<SearchStatus> => ({
  ...(typeof concluded?.listingsFound === 'number' ? { listingsFound: concluded.listingsFound } : {}),
  ...(typeof concluded?.marketPrice === 'number' ? { marketPrice: concluded.marketPrice } : {}),
})
