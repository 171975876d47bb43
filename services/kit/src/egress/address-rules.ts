import { BlockList, isIP } from 'node:net'

/** Addresses that are always blocked: link-local ones, and metadata services of clouds, which hand out credentials. */
const never = new BlockList()
never.addSubnet('169.254.0.0', 16)
never.addSubnet('fe80::', 10, 'ipv6')
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) never.addAddress(address)
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) never.addAddress(address, 'ipv6')

/** Addresses of home or internal networks, and reserved ones. RFC 6890, 1918, 4193, 6598. */
const local = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  local.addSubnet(network, prefix)
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  local.addSubnet(network, prefix, 'ipv6')

/** The eight groups of an IPv6 address; undefined for other text. */
const groupsOf = (address: string): number[] | undefined => {
  const bare = address.replace(/%.*$/, '')
  if (isIP(bare) !== 6) return undefined
  // URL canonicalizes the address: dotted tails become groups.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [])
  const [first, last] = [parse(head), parse(tail)]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/**
 * The IPv4 addresses embedded in an IPv6 address: mapped and compatible ones (RFC 4291), NAT64 (RFC 6052, 8215), 6to4 (RFC 3056),
 * Teredo's server and client (RFC 4380), ISATAP (RFC 5214).
 */
const embeddedIn = (address: string): string[] => {
  const groups = groupsOf(address)
  if (!groups) return []
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  const found: string[] = []
  const leading = [a, b, c, d, e].every((group) => group === 0)
  if (leading && (f === 0xffff || (f === 0 && (g !== 0 || h > 1)))) found.push(dotted(g, h))
  if ([a, b, c, d].every((group) => group === 0) && e === 0xffff && f === 0) found.push(dotted(g, h))
  if (a === 0x64 && b === 0xff9b) {
    found.push(dotted(g, h))
    // With a 48-bit prefix, the IPv4 address surrounds bits 64 to 71.
    if (c === 1) found.push(dotted(d, ((e & 255) << 8) | (f >> 8)))
  }
  if (a === 0x2002) found.push(dotted(b, c))
  if (a === 0x2001 && b === 0) found.push(dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff))
  if ((e === 0 || e === 0x200) && f === 0x5efe) found.push(dotted(g, h))
  return found
}

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address.replace(/%.*$/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4') ||
  embeddedIn(address).some((embedded) => list.check(embedded))

/** Whether an IP address belongs to this machine, its network or its cloud, and so has no geographic location. */
export const isLocalAddress = (address: string): boolean => isIn(never, address) || isIn(local, address)

export type AddressRules = {
  blockPrivate: boolean
  /** The setting that blocks private addresses, for the error message. */
  setting?: string
}

/** The reason to block connections to an IP address, or undefined. */
export const refusalOfAddress = (address: string, { blockPrivate, setting }: AddressRules): string | undefined => {
  if (isIn(never, address)) return 'Link-local and metadata addresses are not allowed.'
  if (!blockPrivate || !isIn(local, address)) return undefined
  return `Private addresses are not allowed${setting === undefined ? '' : ` (${setting})`}.`
}

/** The reason to block a URL, by its scheme or IP address, or undefined. Host names are checked when they are resolved for the connection. */
export const refusalOfUrl = (url: URL, rules: AddressRules): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are allowed.'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : refusalOfAddress(host, rules)
}

/** A URL that is safe as a link or image in a page; undefined for other schemes (`javascript:`, `data:`) and invalid URLs. */
export const webAddress = (text: string, base?: string): string | undefined => {
  const url = URL.parse(text, base)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined
}
