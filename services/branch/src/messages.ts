import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'

/** What a branch tells whoever started it, over the channel between them. */
export type FromBranch = { kind: 'ready'; rpcAddress: string } | { kind: 'notice'; event: BranchEvent }
