import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export type HostRuleOptions = {
  /** Names from `EDGE_HOSTS`: exact ones, `*.example.com` for every name below one, or `*` for all. */
  hosts: readonly string[]
  /** `EDGE_URL`, whose host is accepted. */
  publicUrl: string | undefined
}

const authorityShape = /^(\[[0-9a-f:.%]+\]|[^\s:@/\\[\]]+)(?::\d{1,5})?$/i
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i
const maxCachedHosts = 256

/** The host of an authority without its port, in lower case and without the root's dot; undefined where it is malformed. */
export const hostNameOf = (authority: string): string | undefined => {
  const [, host] = authorityShape.exec(authority) ?? []
  return host
    ?.toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

/** The browser or the system resolves these to the machine itself, so no DNS server can rebind them. */
const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost')

const matches = (pattern: string, name: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name)

/**
 * Accepts a request by its `Host`, and by the authority of an absolute-form target (RFC 9112, 3.2.2). DNS rebinding
 * needs a name that an attacker controls, so every IP address is accepted, and of names only loopback names and
 * configured ones. A request without `Host` is HTTP/1.0, which no browser sends; Node rejects HTTP/1.1 without it.
 */
export const createHostRule = ({ hosts, publicUrl }: HostRuleOptions) => {
  const patterns = hosts.map((host) => hostNameOf(host) ?? host.toLowerCase())
  const own = publicUrl === undefined ? undefined : hostNameOf(new URL(publicUrl).host)
  if (own !== undefined) patterns.push(own)
  const cached = new Map<string, boolean>()

  const judge = (authority: string): boolean => {
    const name = hostNameOf(authority)
    if (name === undefined) return false
    return isIP(name) !== 0 || isLoopbackName(name) || patterns.some((pattern) => matches(pattern, name))
  }
  const isAccepted = (authority: string): boolean => {
    const known = cached.get(authority)
    if (known !== undefined) return known
    const accepted = judge(authority)
    if (cached.size >= maxCachedHosts) cached.clear()
    cached.set(authority, accepted)
    return accepted
  }
  return ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean => {
    if (headers.host !== undefined && !isAccepted(headers.host)) return false
    if (url.startsWith('/')) return true
    const [, authority] = absoluteForm.exec(url) ?? []
    return authority === undefined || isAccepted(authority)
  }
}

export type HostRule = ReturnType<typeof createHostRule>
