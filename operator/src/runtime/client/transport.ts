import { isDeepStrictEqual } from 'node:util'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Access } from './credentials.ts'

/** Requests of one lane share connections and never wait for those of another. */
export type Lane = 'requests' | 'watches' | 'leases'

export type Transport = AsyncDisposable & {
  /** Returns the connection pool of a lane for the server that `access` names. */
  dispatcher: (lane: Lane, access: Access) => Dispatcher
}

/** Connections per lane. A watch occupies one for as long as it lasts. */
const connections: Record<Lane, number> = { requests: 16, watches: 64, leases: 1 }

const connectTimeout = 10_000

const open = (lane: Lane, { security, proxy }: Access): Dispatcher => {
  const options = {
    connections: connections[lane],
    // One stream per connection: a lost connection costs one watch, and a slow request blocks no other.
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const connect = { ...security, timeout: connectTimeout, keepAlive: true, keepAliveInitialDelay: 30_000 }
  return proxy === undefined
    ? new Agent({ ...options, connect })
    : new ProxyAgent({ ...options, uri: proxy, requestTls: connect })
}

/**
 * Connection pools to an API server: shared by all requests of a lane, and replaced only when the certificates or the
 * proxy change.
 */
export const createTransport = (): Transport => {
  const lanes = new Map<Lane, { dispatcher: Dispatcher; access: Access }>()
  const retired = new Set<Dispatcher>()
  const retire = (dispatcher: Dispatcher) => {
    retired.add(dispatcher)
    // Requests in flight finish first.
    void dispatcher.close().then(
      () => retired.delete(dispatcher),
      () => retired.delete(dispatcher),
    )
  }
  return {
    dispatcher: (lane, access) => {
      const held = lanes.get(lane)
      const isSame =
        held !== undefined &&
        (held.access === access ||
          (held.access.proxy === access.proxy && isDeepStrictEqual(held.access.security, access.security)))
      if (isSame) {
        held.access = access
        return held.dispatcher
      }
      if (held) retire(held.dispatcher)
      const dispatcher = open(lane, access)
      lanes.set(lane, { dispatcher, access })
      return dispatcher
    },
    [Symbol.asyncDispose]: async () => {
      const open = [...[...lanes.values()].map(({ dispatcher }) => dispatcher), ...retired]
      lanes.clear()
      await Promise.all(open.map((dispatcher) => dispatcher.destroy()))
    },
  }
}
