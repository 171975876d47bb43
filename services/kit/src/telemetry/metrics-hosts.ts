import { isIP } from 'node:net'
import { hostNameOf, isLoopbackName, matchesHost } from '../hosts/mod.ts'

/**
 * Makes the rule for `Host` on the port of metrics: loopback names, all addresses and the configured names are accepted. A page of
 * another site can reach the port by DNS rebinding, which needs a name; Prometheus and the kubelet reach a pod by its address.
 */
export const createMetricsHostRule = (configured: readonly string[]) => {
  const patterns = configured.map((host) => hostNameOf(host) ?? host.toLowerCase())
  return (authority: string | undefined): boolean => {
    // HTTP/1.0, which no browser sends: Node rejects HTTP/1.1 without Host.
    if (authority === undefined) return true
    const name = hostNameOf(authority)
    if (name === undefined) return false
    return isLoopbackName(name) || isIP(name) !== 0 || patterns.some((pattern) => matchesHost(pattern, name))
  }
}
