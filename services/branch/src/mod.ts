export { branchEnvironment, localBranchesConfig } from './local/config.ts'
export { createLocalBranches, type LocalBranches, type LocalBranchesOptions } from './local/local-branches.ts'
