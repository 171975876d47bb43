import type { RpcClient, RpcTls } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { services } from '@trellis/protos/edge/routes.ts'
import type { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { BranchIntakeServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Backend } from '../transcode/routes.ts'
import { createBranchProxy } from './branch-proxy.ts'
import { createBranchLocations } from './locations.ts'

/** The backend for batches to branches: the edge forwards them to the address that the logs service reports for the branch. */
export const branchIngestProxy = (
  directory: RpcClient<typeof BranchDirectoryServiceDefinition>,
  log: Log,
  tls?: RpcTls,
): Backend & Disposable => {
  const known = services.find(({ name }) => name === BranchIntakeServiceDefinition.fullName)
  if (!known) throw new TypeError(`${BranchIntakeServiceDefinition.fullName} has no routes.`)
  const proxyToBranch = createBranchProxy(createBranchLocations({ directory, log }), tls)
  const { name, mount, heartbeat } = known
  return { name, mount, heartbeat, client: {}, proxyToBranch, [Symbol.dispose]: () => proxyToBranch[Symbol.dispose]() }
}
