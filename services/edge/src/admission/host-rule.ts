import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostNameOf, isLoopbackName, matchesHost } from '@trellis/kit/hosts'

export type HostRuleOptions = {
  /** Names from `EDGE_HOSTS`: exact names, `*.example.com` for all subdomains, or `*` for all. */
  hosts: readonly string[]
  /** `EDGE_URL`, whose host is accepted. */
  publicUrl: string | undefined
  /** The address that the server listens on; undefined before it listens. */
  listensOn?: () => string | undefined
}

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i
const maxCachedHosts = 256

/**
 * Returns the host for which a request is rejected; undefined if it is accepted. Both its `Host` and the authority of an absolute-form target
 * (RFC 9112, 3.2.2) must be accepted. Accepted names are loopback names,
 * configured ones and the one that the server listens on. Every IP address is accepted: behind a forwarded port it is unknown which
 * address clients use, and an address in `Host` is not DNS rebinding, which needs a name. A request without `Host` is HTTP/1.0, which no browser sends; the server rejects HTTP/1.1 without it.
 */
export const createHostRule = ({ hosts, publicUrl, listensOn = () => undefined }: HostRuleOptions) => {
  const patterns = hosts.map((host) => hostNameOf(host) ?? host.toLowerCase())
  const own = publicUrl === undefined ? undefined : hostNameOf(new URL(publicUrl).host)
  if (own !== undefined) patterns.push(own)
  const cached = new Map<string, boolean>()

  const judge = (authority: string): boolean => {
    const name = hostNameOf(authority)
    if (name === undefined) return false
    const isListenedOn = name === listensOn()?.toLowerCase()
    return (
      isIP(name) !== 0 || isLoopbackName(name) || isListenedOn || patterns.some((pattern) => matchesHost(pattern, name))
    )
  }
  const isAccepted = (authority: string): boolean => {
    const known = cached.get(authority)
    if (known !== undefined) return known
    const accepted = judge(authority)
    if (cached.size >= maxCachedHosts) cached.clear()
    cached.set(authority, accepted)
    return accepted
  }
  return ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string | undefined => {
    if (headers.host !== undefined && !isAccepted(headers.host)) return headers.host
    if (url.startsWith('/')) return undefined
    const [, authority] = absoluteForm.exec(url) ?? []
    return authority === undefined || isAccepted(authority) ? undefined : authority
  }
}

export type HostRule = ReturnType<typeof createHostRule>
