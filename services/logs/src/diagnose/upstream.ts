import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Addresses that no upstream may have: link-local ones, where clouds keep the credentials of their machines, and AWS' of IPv6. */
const never = new BlockList()
never.addSubnet('169.254.0.0', 16)
never.addSubnet('fe80::', 10, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')
never.addSubnet('::ffff:169.254.0.0', 112, 'ipv6')

const isForbidden = (address: string): boolean => never.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Why an address must not be asked, or undefined. Names are resolved; what cannot be is left to whoever connects. */
export const refusalOfUpstream = async (url: URL): Promise<string | undefined> => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are allowed.'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  return addresses.some(isForbidden) ? 'Link-local addresses are not allowed.' : undefined
}

const resolve = async (host: string): Promise<string[]> => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}
