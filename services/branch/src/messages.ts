import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'

/** Messages of a branch to its parent process. */
export type FromBranch = { kind: 'ready'; rpcAddress: string } | { kind: 'notice'; event: BranchEvent }
