import { isIP } from 'node:net'
import { hostNameOf, isLoopbackName, matchesHost } from '../hosts/mod.ts'

/**
 * Creates the rule for `Host` on the metrics port, which accepts loopback names, IP addresses and the configured names. A page of
 * another site can reach the port by DNS rebinding, which needs a name; Prometheus and the kubelet use a pod's IP address.
 */
export const createMetricsHostRule = (configured: readonly string[]) => {
  const patterns = configured.map((host) => hostNameOf(host) ?? host.toLowerCase())
  return (authority: string | undefined): boolean => {
    // Only HTTP/1.0, which no browser sends, may omit Host: Node rejects HTTP/1.1 without it.
    if (authority === undefined) return true
    const name = hostNameOf(authority)
    if (name === undefined) return false
    return isLoopbackName(name) || isIP(name) !== 0 || patterns.some((pattern) => matchesHost(pattern, name))
  }
}
