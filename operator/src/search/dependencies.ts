import type { Search } from '../crds/mod.ts'
import type { Run, RunParts, RunSteps } from '../runs/mod.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import type { AllowedUsers } from './decide.ts'
import type { OwnPods } from './own-pods.ts'
import type { Survey } from './survey.ts'

/** A Search in one reconcile. */
export type SearchRun = Run<Search, Survey>

/** Dependencies of the Search controller. */
export type SearchParts = RunParts<Search> & {
  steps: RunSteps<Search, Survey>
  /** Users that Searches applied by people may name. */
  allowedUsers: AllowedUsers
}

/** The dependencies plus the controller's in-memory state. */
export type SearchDependencies = SearchParts & { ownPods: OwnPods; limiter: ConcurrencyLimiter }
