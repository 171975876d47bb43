import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Addresses that lie within somebody's own network, or within this machine. */
const own = new BlockList()
const ownNetworks = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const
for (const [network, prefix, family] of ownNetworks) own.addSubnet(network, prefix, family)

const isOwn = (address: string): boolean => own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

const resolveByNetwork: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/**
 * Whether every address of a host is a public one; a host without any is not. A page may name hosts below its own, and whoever
 * names them there says where they are: this keeps a page from reaching through us into the network that we are in.
 */
export const isPublicHost = async (hostname: string, resolve: Resolve = resolveByNetwork): Promise<boolean> => {
  try {
    const addresses = await resolve(hostname)
    return addresses.length > 0 && !addresses.some(isOwn)
  } catch {
    return false
  }
}
