/** Our kinds: their objects, their API resources, and their specs and statuses as read and (inputs) as written. */
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
export {
  type Branch,
  branches,
  type GenerationJob,
  generationJobs,
  type Search,
  searches,
  type WarmPool,
  warmPools,
} from './objects.ts'
export { type RunReason, runReasons } from './status.ts'
