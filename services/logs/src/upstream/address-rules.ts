import { BlockList, isIP } from 'node:net'

/** Addresses that no upstream may have: link-local ones, where clouds keep the credentials of their machines, and AWS' of IPv6. */
const never = new BlockList()
never.addSubnet('169.254.0.0', 16)
never.addSubnet('fe80::', 10, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')
never.addSubnet('::ffff:169.254.0.0', 112, 'ipv6')

/** Addresses that only a home or an internal network has. RFC 1918, 4193, 6598, 1122. */
const local = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  local.addSubnet(network, prefix)
  local.addSubnet(`::ffff:${network}`, 96 + prefix, 'ipv6')
}
local.addAddress('::', 'ipv6')
local.addAddress('::1', 'ipv6')
local.addSubnet('fc00::', 7, 'ipv6')

/** Whether an IP address is one of this machine, its network or its cloud, and says nothing of a place. */
export const isLocalAddress = (address: string): boolean => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return never.check(address, family) || local.check(address, family)
}

export type AddressRules = { blockPrivate: boolean }

/** Why an IP address must not be connected to, or undefined. */
export const refusalOfAddress = (address: string, { blockPrivate }: AddressRules): string | undefined => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (never.check(address, family)) return 'Link-local addresses are not allowed.'
  return blockPrivate && local.check(address, family)
    ? 'Private addresses are not allowed (SERVICE_BLOCK_PRIVATE_UPSTREAMS).'
    : undefined
}

/** Why a URL must not be asked, as far as it says so itself, or undefined. What its name stands for is checked when it is connected to. */
export const refusalOfUrl = (url: URL, rules: AddressRules): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are allowed.'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : refusalOfAddress(host, rules)
}
