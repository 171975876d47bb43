/** Branches: the controller that makes each a pod with a volume, an address and a key, and how others see them. */

export { handleBranchEvents } from './branch-events.ts'
export type { BranchSettings } from './children.ts'
export { addBranchController, cacheBranches } from './controller.ts'
export { type BranchStores, slugIndex } from './dependencies.ts'
export { ensureSecret, isOwnedBy, keyOfSecret } from './key.ts'
export { slugHolder, slugOf } from './slug.ts'
export { branchReasons } from './status.ts'
export { viewOf } from './view.ts'
