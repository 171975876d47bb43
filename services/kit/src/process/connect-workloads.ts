import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { serviceError } from '../errors/mod.ts'
import { connectInProcess, openGrpcChannel, type RpcClient, type RpcSecurity } from '../rpc/mod.ts'

/** Clients of the runtime of searches, branches and generations. */
export type WorkloadConnections = Disposable & {
  workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Absent where no runtime is configured. */
  branches: RpcClient<typeof BranchesServiceDefinition> | undefined
}

const noWorkloads = (): Promise<never> =>
  Promise.reject(serviceError('unavailable', 'This installation runs no workloads. Set WORKLOADS_ADDRESS.'))

/** Connects to the address. Without one a service starts nevertheless, and calls fail with the missing setting. */
export const connectWorkloads = (address: string | undefined, security: RpcSecurity): WorkloadConnections => {
  if (address === undefined) {
    const handlers = { run: noWorkloads, cancel: noWorkloads, list: noWorkloads, capacity: noWorkloads }
    return {
      workloads: connectInProcess(WorkloadsServiceDefinition, handlers),
      branches: undefined,
      [Symbol.dispose]: () => undefined,
    }
  }
  const channel = openGrpcChannel(address, { security })
  return {
    workloads: channel.client(WorkloadsServiceDefinition),
    branches: channel.client(BranchesServiceDefinition),
    [Symbol.dispose]: channel[Symbol.dispose],
  }
}
