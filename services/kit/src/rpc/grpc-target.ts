import { isIP } from 'node:net'

const hostOf = (address: string) => address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')

/**
 * Converts an address into a gRPC target: `host:port`, several comma-separated `ip:port`, or
 * `unix:///absolute/path`. A host name is resolved, and each of its addresses is a replica. Throws TypeError for an
 * invalid address.
 */
export const grpcTarget = (address: string): string => {
  if (address.startsWith('unix:///')) return address
  const all = address
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  for (const one of all) {
    if (!/^(?:\[[0-9a-fA-F:.]+\]|[^\s:/,]+):\d{1,5}$/.test(one))
      throw new TypeError(`"${one}" is not an address of a service. Use host:port or unix:///path.`)
  }
  const [first = '', ...others] = all
  if (first === '') throw new TypeError('An address of a service is empty.')
  if (all.every((one) => isIP(hostOf(one)) === 4)) return `ipv4:${all.join(',')}`
  if (all.every((one) => isIP(hostOf(one)) === 6)) return `ipv6:${all.join(',')}`
  if (others.length > 0) throw new TypeError('Several addresses of a service must be IP addresses of one kind.')
  return `dns:///${first}`
}

/** Whether only this machine can reach a listener at this address. */
export const isLocalAddress = (address: string): boolean => {
  if (address.startsWith('unix:')) return true
  const host = hostOf(address)
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
