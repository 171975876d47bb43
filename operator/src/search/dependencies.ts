import type { Search } from '../crds/mod.ts'
import type { RunMemories, RunParts } from '../runs/mod.ts'
import type { Store } from '../runtime/mod.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import type { AllowedUsers } from './decide.ts'
import type { OwnPods } from './own-pods.ts'

/** What the controller of Searches stands on. */
export type SearchParts = RunParts & {
  searches: Store<Search>
  /** Users that Searches which people apply may name; none unless told. */
  allowedUsers?: AllowedUsers
}

/** And what it keeps while it runs. */
export type SearchDependencies = SearchParts & { memories: RunMemories; ownPods: OwnPods; limiter: ConcurrencyLimiter }
