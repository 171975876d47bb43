import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { serviceError } from '../errors/mod.ts'
import { connectInProcess, openGrpcChannel, type RpcClient, type RpcSecurity } from '../rpc/mod.ts'

/** Whoever runs searches, branches and generations, as a service calls them. */
export type WorkloadConnections = Disposable & {
  workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Absent where nobody is there for them. */
  branches: RpcClient<typeof BranchesServiceDefinition> | undefined
}

const noWorkloads = (): Promise<never> =>
  Promise.reject(serviceError('unavailable', 'Nobody runs this here: WORKLOADS_ADDRESS is not set.'))

/** Connects to the address. Without one a service starts all the same, and says what is missing when it has something to run. */
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
