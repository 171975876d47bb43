/** Our kinds: what the specs and the statuses of each look like to who reads them, and (inputs) to who writes them. */
export { apiVersion, group, version } from './kind.ts'
export type { BranchSpec, BranchSpecInput, BranchStatus, BranchStatusInput } from './kinds/branch.ts'
export type {
  GenerationJobSpec,
  GenerationJobSpecInput,
  GenerationJobStatus,
  GenerationJobStatusInput,
} from './kinds/generation-job.ts'
export type { SearchSpec, SearchSpecInput, SearchStatus, SearchStatusInput } from './kinds/search.ts'
export type { WarmPoolSpec, WarmPoolSpecInput, WarmPoolStatus, WarmPoolStatusInput } from './kinds/warm-pool.ts'
export { type RunReason, runReasons } from './status.ts'
