/**
 * Branches: the controller that provides each with a pod, a volume, an address and a key, and their rpc for services.
 */

export { type BranchKindOptions, type BranchSurroundings, branchKind } from './kind.ts'
export { branchReasons } from './status.ts'
