import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { type Reader, read } from '@trellis/kit/config'

/** The eight groups of an IPv6 address, without a zone or embedded IPv4. */
const groupsOf = (address: string): string[] => {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
}

/** The client that limits count: an IPv4 address, or the /64 of an IPv6 address, because a host owns its whole /64. */
export const clientKeyOf = (address: string): string => {
  const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
  if (!isIPv6(plain) || plain === '::1') return plain
  return `${groupsOf(plain.split('%')[0] ?? '')
    .slice(0, 4)
    .join(':')}::/64`
}

const isLoopback = proxyAddr.compile('loopback')

/** Whether an address is a loopback address. Local programs are not limited, because they have other means to exhaust the machine. */
export const isThisMachine = (client: string): boolean => isIP(client) !== 0 && isLoopback(client, 0)

/**
 * Creates the reader of a request's client address: the socket's, or, if that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not a trusted proxy.
 */
export const createClientAddress = (trustedProxies: readonly string[]) => {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return (request: IncomingMessage): string => {
    const direct = request.socket.remoteAddress
    // A client that has reset its connection has no address and gets no answer.
    if (direct === undefined) return ''
    return clientKeyOf(request.headers['x-forwarded-for'] === undefined ? direct : proxyAddr(request, isTrusted))
  }
}

/** Creates the reader of the client that services count calls of; undefined for this machine, which is not limited. */
export const createCountedClient =
  (clientAddress: (request: IncomingMessage) => string) =>
  ({ raw }: { raw: IncomingMessage }): string | undefined => {
    const client = clientAddress(raw)
    return client === '' || isThisMachine(client) ? undefined : client
  }

/** A comma-separated list of trusted proxies: addresses, ranges, and names of ranges. */
export const readProxies: Reader<readonly string[]> = (text) => {
  const proxies = read.list(text)
  try {
    proxyAddr.compile([...proxies])
  } catch (cause) {
    throw new Error('must list addresses, ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal', { cause })
  }
  return proxies
}

export type ClientAddress = ReturnType<typeof createClientAddress>
