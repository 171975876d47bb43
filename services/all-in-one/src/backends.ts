import type { Backend } from '@trellis/edge'
import { connectInProcess, type Handlers, type Implementation, type RpcClient } from '@trellis/kit/rpc'
import { services } from '@trellis/protos/edge/routes.ts'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'

/** The backend of a service in this process; none for services without routes, which only other processes call. */
export const toBackends = ({ definition, handlers }: Implementation): Backend[] => {
  const known = services.find(({ name }) => name === definition.fullName)
  if (!known) return []
  const { name, mount, heartbeat } = known
  return [{ name, mount, heartbeat, client: connectInProcess(definition, handlers) }]
}

/** The client for the locations of branches, which the logs service implements. */
export const branchDirectoryOf = (
  implementations: readonly Implementation[],
): RpcClient<typeof BranchDirectoryServiceDefinition> => {
  const found = implementations.find(
    ({ definition }) => definition.fullName === BranchDirectoryServiceDefinition.fullName,
  )
  if (!found) throw new TypeError('The logs service does not implement the branch directory.')
  return connectInProcess(
    BranchDirectoryServiceDefinition,
    found.handlers as Handlers<typeof BranchDirectoryServiceDefinition>,
  )
}
