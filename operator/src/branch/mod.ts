/**
 * Branches: the controller that provides each with a pod, a volume, an address and a key, and their view for services.
 */

export { handleBranchEvents } from './branch-events.ts'
export type { BranchSettings } from './children.ts'
export { addBranchController, cacheBranches } from './controller.ts'
export { type BranchStores, slugIndex } from './dependencies.ts'
export { ensureSecret, isOwnedBy, keyOfSecret } from './key.ts'
export { slugHolder, slugOf } from './slug.ts'
export { branchReasons } from './status.ts'
export { viewOf } from './view.ts'
