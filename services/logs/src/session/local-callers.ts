import { BlockList, isIP } from 'node:net'
import { serviceError } from '@trellis/kit/errors'
import type { Call, Handlers, ServiceDefinition } from '@trellis/kit/rpc'
import type { Dependencies } from '../dependencies.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** IPv4-mapped addresses, as dual-stack sockets report them, count as IPv4. */
export const isLoopback = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Without an API key, calls that change what the service reads or where it sends are restricted to this machine, since the edge has checked nothing
 * else. Throws `forbidden`. `what` is a clause: "sources are added".
 */
export const requireLocalCaller = (
  { config }: { config: Pick<Dependencies['config'], 'apiKey'> },
  { peer }: Pick<Call, 'peer'>,
  what: string,
): void => {
  if (config.apiKey !== '' || (peer !== undefined && isLoopback(peer))) return
  throw serviceError(
    'forbidden',
    `Without an API key, ${what} from this machine only, directly at localhost. Set SERVICE_API_KEY on the server and send it as "Authorization: Bearer <key>".`,
  )
}

type Clauses<Definition extends ServiceDefinition> = { [Name in keyof Definition['methods']]?: string }

/** Restricts some unary handlers, each described by a clause, to local callers unless there is an API key. */
export const forLocalCallers = <Definition extends ServiceDefinition>(
  dependencies: { config: Pick<Dependencies['config'], 'apiKey'> },
  handlers: Handlers<Definition>,
  restricted: Clauses<Definition>,
): Handlers<Definition> => {
  type Unary = (request: unknown, call: Call) => Promise<unknown>
  const guarded = Object.entries(restricted).map(([name, what]) => {
    const handler = handlers[name] as Unary
    const guard: Unary = async (request, call) => {
      requireLocalCaller(dependencies, call, String(what))
      return handler(request, call)
    }
    return [name, guard]
  })
  return { ...handlers, ...Object.fromEntries(guarded) }
}
