import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { clientKeyOf, isThisMachine } from './client-address.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

export type ConnectionShareOptions = {
  /** Maximum connections of one address; 0 disables the limit. */
  limit: number
  /** Proxies are not limited, unless they are on this machine, where every process has the same address. */
  trustedProxies: readonly string[]
}

/** Closes connections of an address beyond its limit, so that one client cannot use up all connections. */
export const createConnectionShare = ({ limit, trustedProxies }: ConnectionShareOptions) => {
  const connections = createConcurrencyLimiter(limit)
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return {
    /** Whether the connection stays open. */
    admit: (socket: Socket): boolean => {
      const address = socket.remoteAddress
      if (address === undefined || (isTrusted(address, 0) && !isThisMachine(address))) return true
      const caller = clientKeyOf(address)
      if (!connections.begin(caller)) {
        socket.destroy()
        return false
      }
      socket.once('close', () => connections.end(caller))
      return true
    },
  }
}

export type ConnectionShare = ReturnType<typeof createConnectionShare>
