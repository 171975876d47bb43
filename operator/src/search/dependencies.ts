import type { Search } from '../crds/mod.ts'
import type { RunMemories, RunParts } from '../runs/mod.ts'
import type { Store } from '../runtime/mod.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import type { AllowedUsers } from './decide.ts'
import type { OwnPods } from './own-pods.ts'

/** Dependencies of the Search controller. */
export type SearchParts = RunParts & {
  searches: Store<Search>
  /** Users that Searches applied by people may name; none by default. */
  allowedUsers?: AllowedUsers
}

/** The dependencies plus the controller's in-memory state. */
export type SearchDependencies = SearchParts & { memories: RunMemories; ownPods: OwnPods; limiter: ConcurrencyLimiter }
