import type { Backend } from '@trellis/edge'
import {
  connectInProcess,
  type Handlers,
  type Implementation,
  type RpcClient,
  type ServiceDefinition,
} from '@trellis/kit/rpc'
import { services } from '@trellis/protos/edge/routes.ts'

/** The backend of a service in this process; none for services without routes, which only other processes call. */
export const toBackends = ({ definition, handlers }: Implementation): Backend[] => {
  const known = services.find(({ name }) => name === definition.fullName)
  if (!known) return []
  const { name, mount, heartbeat } = known
  return [{ name, mount, heartbeat, client: connectInProcess(definition, handlers) }]
}

/** The client of a service in this process without routes. Throws TypeError if none of the implementations has it. */
export const internalClient = <Definition extends ServiceDefinition>(
  definition: Definition,
  implementations: readonly Implementation[],
): RpcClient<Definition> => {
  const found = implementations.find((one) => one.definition.fullName === definition.fullName)
  if (!found) throw new TypeError(`No service implements ${definition.fullName}.`)
  return connectInProcess(definition, found.handlers as Handlers<Definition>)
}
