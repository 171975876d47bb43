import type { Backend } from '@trellis/edge'
import { connectInProcess, type Handlers, type Implementation, type RpcClient } from '@trellis/kit/rpc'
import { services } from '@trellis/protos/edge/routes.ts'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'

/** A service as the edge calls it in this process; none where it is for other processes alone and has no routes. */
export const toBackends = ({ definition, handlers }: Implementation): Backend[] => {
  const known = services.find(({ name }) => name === definition.fullName)
  if (!known) return []
  const { name, mount, heartbeat } = known
  return [{ name, mount, heartbeat, client: connectInProcess(definition, handlers) }]
}

/** Where branches are, as the logs service tells. */
export const branchDirectoryOf = (
  implementations: readonly Implementation[],
): RpcClient<typeof BranchDirectoryServiceDefinition> => {
  const found = implementations.find(
    ({ definition }) => definition.fullName === BranchDirectoryServiceDefinition.fullName,
  )
  if (!found) throw new TypeError('The logs service does not tell where branches are.')
  return connectInProcess(
    BranchDirectoryServiceDefinition,
    found.handlers as Handlers<typeof BranchDirectoryServiceDefinition>,
  )
}
