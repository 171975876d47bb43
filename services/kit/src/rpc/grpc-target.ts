import { isIP } from 'node:net'

const hostOf = (address: string) => address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')

/**
 * A gRPC target for addresses as people write them: `host:port`, several of them with commas between, or
 * `unix:///absolute/path`. A host name is looked up, and each of its addresses is a replica. Throws TypeError for what
 * cannot be reached.
 */
export const grpcTarget = (address: string): string => {
  if (address.startsWith('unix:///')) return address
  const all = address
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  for (const one of all) {
    if (!/^(?:\[[0-9a-fA-F:.]+\]|[^\s:/,]+):\d{1,5}$/.test(one))
      throw new TypeError(`"${one}" is no address of a service; host:port or unix:///path is.`)
  }
  const [first = '', ...others] = all
  if (first === '') throw new TypeError('An address of a service is empty.')
  if (all.every((one) => isIP(hostOf(one)) === 4)) return `ipv4:${all.join(',')}`
  if (all.every((one) => isIP(hostOf(one)) === 6)) return `ipv6:${all.join(',')}`
  if (others.length > 0) throw new TypeError('Several addresses of a service must be IP addresses of one kind.')
  return `dns:///${first}`
}

/** Whether only this machine can reach a listening address. */
export const isLocalAddress = (address: string): boolean => {
  if (address.startsWith('unix:')) return true
  const host = hostOf(address)
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
