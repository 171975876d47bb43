import { type Agent, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createSecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { Access } from './credentials.ts'

/** Requests of one lane share connections and never wait for those of another. */
export type Lane = 'requests' | 'watches' | 'leases'

export type Transport = AsyncDisposable & {
  /** Returns the connection pool of a lane for the server that `access` names. */
  agent: (lane: Lane, access: Access) => Agent
}

/** Connections per lane. A watch occupies one for as long as it lasts. */
const connections: Record<Lane, number> = { requests: 16, watches: 64, leases: 1 }

/** Milliseconds after which an idle connection is closed. */
const idleTimeout = 60_000

/** Milliseconds until the first TCP keep-alive probe of a silent connection. */
const probeDelay = 30_000

const open = (lane: Lane, { server, security, proxy }: Access): Agent => {
  const options = {
    keepAlive: true,
    keepAliveMsecs: probeDelay,
    maxSockets: connections[lane],
    maxFreeSockets: connections[lane],
    timeout: idleTimeout,
    // Empty without a proxy: the variables of this process name proxies for other servers.
    proxyEnv: proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
  }
  const agent = server.startsWith('https:')
    ? new HttpsAgent({ ...options, ...security, secureContext: createSecureContext(security) })
    : new HttpAgent(options)
  // A pool is for one server; by default its name contains all certificates and is assembled for each request.
  agent.getName = () => lane
  return agent
}

/** Closes idle connections now, and the others when their responses end. */
const retire = (agent: Agent): void => {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/**
 * Connection pools to an API server: shared by all requests of a lane, and replaced only when the server, the
 * certificates or the proxy change.
 */
export const createTransport = (): Transport => {
  const lanes = new Map<Lane, { agent: Agent; access: Access }>()
  const retired = new Set<WeakRef<Agent>>()
  return {
    agent: (lane, access) => {
      const held = lanes.get(lane)
      const isSame =
        held !== undefined &&
        (held.access === access ||
          (held.access.server === access.server &&
            held.access.proxy === access.proxy &&
            isDeepStrictEqual(held.access.security, access.security)))
      if (isSame) {
        held.access = access
        return held.agent
      }
      if (held) {
        retire(held.agent)
        retired.add(new WeakRef(held.agent))
      }
      const agent = open(lane, access)
      lanes.set(lane, { agent, access })
      return agent
    },
    [Symbol.asyncDispose]: async () => {
      for (const { agent } of lanes.values()) agent.destroy()
      for (const agent of retired) agent.deref()?.destroy()
      lanes.clear()
      retired.clear()
    },
  }
}
